/**
 * Files to read, which end. Whoever opens a named pipe that nobody writes to, or reads a device, waits for ever and cannot be
 * interrupted meanwhile; so both are refused before they are opened.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'

/** Gives a descriptor, also of a folder. Throws a system error; its code is `EFTYPE` for a pipe, a socket or a device. */
export function openInputFile(path: string): number {
  refuseSpecialFile(path)
  // Something else may lie there by now, and opening that must not block either.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    refuse(fstatSync(descriptor))
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** The whole file. Throws like `openInputFile`, and for a folder. */
export function readInputFile(path: string): Buffer {
  const descriptor = openInputFile(path)
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Throws for what is there and can neither be read to an end nor be listed. */
export function refuseSpecialFile(path: string): void {
  refuse(statSync(path, { throwIfNoEntry: false }))
}

function refuse(stats: Stats | undefined): void {
  if (!stats || stats.isFile() || stats.isDirectory()) return
  // The code that systems of the BSD family have for it.
  throw Object.assign(new Error('it is a pipe, a socket or a device, not a file'), { code: 'EFTYPE' })
}
