/**
 * A path as seen from the working directory: relative if it is inside, with forward slashes, and no
 * `./`. On Windows, shells write `/d/project` for `D:\\project`.
 */
export function relativePath(path: string, workingDirectory: string | undefined): string {
  const directory = withSlashes(workingDirectory ?? '')
  let result = withSlashes(path)
  if (DRIVE.test(directory))
    result = result.replace(SHELL_DRIVE, (_, letter: string) => `${letter.toUpperCase()}:/`)
  if (directory !== '' && startsWithPath(result, directory)) {
    const end = directory.length + (directory.endsWith('/') ? 0 : 1)
    if (result[end - 1] === '/') result = result.slice(end)
  }
  let start = 0
  while (result.startsWith('./', start) || result.startsWith('../', start))
    start += result[start + 1] === '/' ? 2 : 3
  return start > 0 && start < result.length ? result.slice(start) : result
}

const DRIVE = /^[A-Za-z]:/
const SHELL_DRIVE = /^\/([A-Za-z])\//

const withSlashes = (path: string): string =>
  path.includes('\\') ? path.replaceAll('\\', '/') : path

/** Windows takes the letter of a drive in either case. */
function startsWithPath(path: string, directory: string): boolean {
  if (path.startsWith(directory)) return true
  const hasDrives = DRIVE.test(path) && DRIVE.test(directory)
  return (
    hasDrives &&
    path.charAt(0).toLowerCase() === directory.charAt(0).toLowerCase() &&
    path.startsWith(directory.slice(1), 1)
  )
}

/** A path as seen from outside the directory in which it was named. */
export function joinPath(directory: string, path: string): string {
  if (directory === '' || directory === '.' || IS_WHOLE.test(path)) return path
  const folders = withSlashes(directory).replace(/\/$/, '').split('/')
  for (const name of withSlashes(path).split('/')) {
    const last = folders.at(-1)
    const hasParent = folders.length > 1 && last !== '' && last !== '..' && !DRIVE.test(last!)
    if (name === '..' && hasParent) folders.pop()
    else if (name !== '.') folders.push(name)
  }
  return folders.join('/')
}

const IS_WHOLE = /^(?:[/~$]|\\\\|[A-Za-z]:[\\/])/

/** A path as the name of a file. Removes the `a/` and `b/` that git puts before paths in a diff. */
export function namePath(path: string, workingDirectory: string | undefined): string {
  const relative = relativePath(path, workingDirectory)
  return /^[ab]\/./.test(relative) ? relative.slice(2) : relative
}

/**
 * The last two components, which are the same for the absolute, relative or shortened path of a
 * file.
 */
export function pathKey(path: string): string {
  const last = path.lastIndexOf('/')
  const before = last > 0 ? path.lastIndexOf('/', last - 1) : -1
  return before < 0 ? path : path.slice(before + 1)
}
