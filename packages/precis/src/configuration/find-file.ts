import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { readInputFile } from '../input-file.ts'
import { explainSystemError, systemErrorCode } from '../system-error.ts'
import { ConfigurationError } from './configuration-error.ts'

/** A file with settings, before anybody has looked at them. */
export interface FoundFile {
  readonly path: string
  readonly value: unknown
}

export interface FoundProject {
  readonly file: FoundFile | undefined
  /** Which files of the project are not read, and why; for the user. */
  readonly notices: readonly string[]
}

const DATA_NAME = 'precis.config.json'
const CODE_NAMES = ['ts', 'js', 'mjs', 'cjs', 'mts', 'cts'].map((extension) => `precis.config.${extension}`)

/**
 * The nearest `precis.config.json`, or `package.json` with a member "precis", from the folder up to the root of its repository;
 * without a repository only in the folder itself. Whoever wrote the repository is a stranger: nothing is run, no link is
 * followed, and a file that cannot be read is a notice.
 */
export function findProjectFile(folder: string): FoundProject {
  const root = findRepository(folder) ?? resolve(folder)
  const notices: string[] = []
  for (let at = resolve(folder); ; at = dirname(at)) {
    for (const code of CODE_NAMES.map((name) => join(at, name)).filter((path) => existsSync(path))) {
      notices.push(`"${code}" is not run: the configuration of a project is data, in ${DATA_NAME}`)
    }
    const path = join(at, DATA_NAME)
    if (existsSync(path)) {
      const value = readData(path, MOST_DATA_BYTES)
      if (value instanceof Error) notices.push(`"${path}" is ignored: ${value.message}`)
      return { file: value instanceof Error ? undefined : { path, value }, notices }
    }
    // A package.json that cannot be read is the business of others.
    const manifestPath = join(at, 'package.json')
    const manifest = existsSync(manifestPath) ? readData(manifestPath, MOST_MANIFEST_BYTES) : undefined
    if (isRecord(manifest) && Object.hasOwn(manifest, 'precis')) {
      return { file: { path: manifestPath, value: manifest.precis }, notices }
    }
    if (at === root || at === dirname(at)) return { file: undefined, notices }
  }
}

/** Higher up other people may write. */
function findRepository(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

const MOST_DATA_BYTES = 64 << 10
const MOST_MANIFEST_BYTES = 1 << 20
// Neither a link to another place nor a pipe that nobody writes to.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The value, or why there is none. */
function readData(path: string, mostBytes: number): unknown {
  if (lstatSync(path).isSymbolicLink()) return new Error('it is a link')
  let descriptor: number
  try {
    descriptor = openSync(path, READ_FLAGS)
  } catch (error) {
    return new Error(`it cannot be read (${systemErrorCode(error) ?? String(error)})`)
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return new Error('it is no file')
    if (stats.size > mostBytes) return new Error(`it has more than ${mostBytes} bytes`)
    const value: unknown = JSON.parse(readFileSync(descriptor, 'utf8'))
    return value
  } catch (error) {
    // What the parser says quotes the file.
    return new Error(error instanceof SyntaxError ? 'it is no JSON' : `it cannot be read (${String(error)})`)
  } finally {
    closeSync(descriptor)
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const USER_NAMES = ['config.json', 'config.ts', 'config.js']

/** `config.json`, `config.ts` or `config.js` of the user's own folder. Throws `ConfigurationError` when it cannot be read. */
export async function findUserFile(folder: string): Promise<FoundFile | undefined> {
  // A relative folder would be one of the project that precis runs in.
  if (!isAbsolute(folder)) return undefined
  const path = USER_NAMES.map((name) => join(folder, name)).find((candidate) => existsSync(candidate))
  if (path === undefined) return undefined
  try {
    const text = readInputFile(path).toString('utf8')
    return { path, value: path.endsWith('.json') ? JSON.parse(text) : await runCode(path) }
  } catch (error) {
    const said = explainSystemError(error)
    throw new ConfigurationError('invalid-configuration', `Reading the configuration "${path}": ${said}`)
  }
}

async function runCode(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  return await createJiti(import.meta.url, { moduleCache: false, fsCache: false }).import(path, { default: true })
}
