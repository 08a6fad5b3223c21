import { closeSync, fstatSync, readSync } from 'node:fs'
import type { ByteSource } from '@precis/core/formats'
import type { Agent, Description } from '../agents/ground/agent.ts'
import { systemErrorCode } from '../files/errors.ts'
import { openInputFile } from '../files/read-document.ts'
import type { SessionFile } from './find-sessions.ts'

/** A session as a list shows it; what could not be read is undefined. */
export interface DescribedSession extends SessionFile, Omit<Description, 'sessionId'> {}

/**
 * As its agent calls it, else its first words. One that precis wrote says so first, where a list cuts nothing off; `madeBy` is the
 * command that is known to have made it.
 */
export function nameSession(
  { title, firstPrompt }: Pick<DescribedSession, 'title' | 'firstPrompt'>,
  madeBy?: string,
): string | undefined {
  const { name, mark } = splitMark(title ?? firstPrompt ?? '')
  const known = madeBy === undefined ? '' : madeBy === 'clone' ? '(clone)' : '(compressed)'
  return [mark || known, name].filter(Boolean).join(' ') || undefined
}

/** The end of a title that precis gave. */
function splitMark(title: string): { readonly name: string; readonly mark: string } {
  const start = title.endsWith(')') ? title.lastIndexOf(' (') : -1
  const mark = start < 0 ? '' : title.slice(start + 1)
  return /^\((?:compressed|clone)/.test(mark) ? { name: title.slice(0, start), mark } : { name: title, mark: '' }
}

/** Reads the beginning and the end of the file, never all of it, and nothing of one that is described already. */
export function describeSession(file: SessionFile | DescribedSession): DescribedSession {
  if ('contextTokens' in file) return file
  const { agent, path } = file
  const {
    sessionId,
    workingDirectory = agent.findWorkingDirectory?.(path),
    ...rest
  } = agent.store ? agent.store.describe(path) : describeFile(agent, path)
  // The name of a file may have only the beginning of the id that the session is resumed by.
  return { ...file, id: sessionId?.startsWith(file.id) ? sessionId : file.id, workingDirectory, ...rest }
}

const UNREADABLE: Description = {
  sessionId: undefined,
  workingDirectory: undefined,
  firstPrompt: undefined,
  title: undefined,
  contextTokens: undefined,
}

function describeFile(agent: Agent, path: string): Description {
  let descriptor: number
  try {
    descriptor = openInputFile(path)
  } catch {
    // It is listed all the same: the command that reads it reports what cannot be read.
    return UNREADABLE
  }
  try {
    const source = createSource(descriptor)
    const head = agent.readHead(source)
    return { ...head, title: agent.readTitle?.(source), contextTokens: agent.readContextTokens?.(source) }
  } catch (error) {
    // A disk that fails, or a folder that was put in its place.
    if (systemErrorCode(error) === undefined) throw error
    return UNREADABLE
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
