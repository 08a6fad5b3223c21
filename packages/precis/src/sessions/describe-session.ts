import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import { findProjectRoot } from './gemini-cli/project-folder.ts'
import { describeOpencode } from './opencode/list-opencode.ts'
import { readContextTokens } from './read-context-tokens.ts'
import { readHead } from './read-head.ts'
import type { SessionFile } from './session-file.ts'
import type { SessionHead } from './session-head.ts'

/** A session as a list shows it; what could not be read is undefined. */
export interface DescribedSession extends SessionFile, Pick<SessionHead, 'workingDirectory' | 'firstPrompt'> {
  readonly contextTokens: number | undefined
}

/** Reads the beginning and the end of the file, never all of it. */
export function describeSession(file: SessionFile): DescribedSession {
  if (file.agent === 'opencode') return { ...file, ...describeOpencode(file.path) }
  let descriptor: number
  try {
    descriptor = openSync(file.path, 'r')
  } catch {
    // It is listed all the same: what cannot be read is said by the command that reads it.
    return { ...file, workingDirectory: undefined, firstPrompt: undefined, contextTokens: undefined }
  }
  try {
    const source = createSource(descriptor)
    const { workingDirectory = findProjectRoot(file.path), firstPrompt } = readHead(source, file.agent)
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
