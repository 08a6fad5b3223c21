import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import type { SessionFile } from './find-sessions.ts'
import { readContextTokens } from './read-context-tokens.ts'
import { readHead, type SessionHead } from './read-head.ts'

/** A session as a list shows it; what could not be read is undefined. */
export interface DescribedSession extends SessionFile, Pick<SessionHead, 'workingDirectory' | 'firstPrompt'> {
  readonly contextTokens: number | undefined
}

/** Reads the beginning and the end of the file, never all of it. */
export function describeSession(file: SessionFile): DescribedSession {
  let descriptor: number
  try {
    descriptor = openSync(file.path, 'r')
  } catch {
    // It is listed all the same: what cannot be read is said by the command that reads it.
    return { ...file, workingDirectory: undefined, firstPrompt: undefined, contextTokens: undefined }
  }
  try {
    const source = createSource(descriptor)
    const { workingDirectory, firstPrompt } = readHead(source, file.agent)
    return { ...file, workingDirectory, firstPrompt, contextTokens: readContextTokens(source, file.agent) }
  } finally {
    closeSync(descriptor)
  }
}

function createSource(descriptor: number): ByteSource {
  return {
    byteLength: fstatSync(descriptor).size,
    read(start, end) {
      const buffer = new Uint8Array(end - start)
      return buffer.subarray(0, readSync(descriptor, buffer, 0, buffer.length, start))
    },
  }
}
