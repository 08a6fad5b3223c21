import { closeSync, fstatSync, readSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import { openInputFile } from '../input-file.ts'
import { systemErrorCode } from '../system-error.ts'
import { findWorkspaceFolder } from './copilot/list-copilot.ts'
import { findProjectRoot } from './gemini-cli/project-folder.ts'
import { describeOpencode } from './opencode/list-opencode.ts'
import { readContextTokens } from './read-context-tokens.ts'
import { readHead } from './read-head.ts'
import { readTitle } from './read-title.ts'
import type { SessionFile } from './session-file.ts'
import type { SessionHead } from './session-head.ts'

/** A session as a list shows it; what could not be read is undefined. */
export interface DescribedSession extends SessionFile, Pick<SessionHead, 'workingDirectory' | 'firstPrompt'> {
  /** As its agent lists it. */
  readonly title: string | undefined
  readonly contextTokens: number | undefined
}

const UNREADABLE = { workingDirectory: undefined, firstPrompt: undefined, title: undefined, contextTokens: undefined }

/** Reads the beginning and the end of the file, never all of it, and nothing of one that is described already. */
export function describeSession(file: SessionFile | DescribedSession): DescribedSession {
  if ('contextTokens' in file) return file
  if (file.agent === 'opencode') return { ...file, ...describeOpencode(file.path) }
  let descriptor: number
  try {
    descriptor = openInputFile(file.path)
  } catch {
    // It is listed all the same: what cannot be read is said by the command that reads it.
    return { ...file, ...UNREADABLE }
  }
  try {
    const source = createSource(descriptor)
    const head = readHead(source, file.agent)
    const { workingDirectory = findProjectRoot(file.path) ?? findWorkspaceFolder(file.path), firstPrompt } = head
    const title = readTitle(source, file.agent)
    // The name of a file of Gemini CLI has only the beginning of the id that it is resumed by.
    const id = head.sessionId?.startsWith(file.id) ? head.sessionId : file.id
    return { ...file, id, workingDirectory, firstPrompt, title, contextTokens: readContextTokens(source, file.agent) }
  } catch (error) {
    // A disk that fails, or a folder that was put in its place.
    if (systemErrorCode(error) === undefined) throw error
    return { ...file, ...UNREADABLE }
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
