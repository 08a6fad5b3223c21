/** What the system says when a file, a process or a connection fails. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EFTYPE: 'it is a pipe, a socket or a device; give a file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system allows',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the symbolic links go in a circle',
  EIO: 'the device failed',
  ENXIO: 'nobody reads from the pipe',
  EPIPE: 'nobody reads from the pipe any more',
}

/** In words; the code itself where nobody has words for it. */
export function explainSystemError(error: unknown): string {
  const code = systemErrorCode(error)
  if (code !== undefined) return REASONS[code] ?? code
  return error instanceof Error ? error.message : String(error)
}

/** `ENOENT`, `SQLITE_BUSY`, `53300`: whatever stands under `code`. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
