import type { Conversation } from '@precis/core'
import type { NewSession } from '@precis/core/formats'
import type { LoadedSession } from '../sessions/load-session.ts'
import { listSession } from '../sessions/place-session.ts'
import { splitOutput } from '../sessions/split-output.ts'
import { writeFileAtomically } from '../sessions/write-file.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import type { Destination } from './destination.ts'

const OWNER_READ_WRITE = 0o600

/** Serializes to the destination and gives the size in bytes; `watch` sees every chunk; with nowhere to go it only measures. */
export async function writeResult(
  session: LoadedSession,
  conversation: Conversation,
  newSession: NewSession | undefined,
  destination: Destination,
  terminal: Terminal,
  watch: (chunk: Uint8Array) => void = () => {},
): Promise<number> {
  const chunks = watchChunks(splitOutput(session.format.serialize(conversation, newSession)), watch)
  switch (destination.type) {
    case 'nowhere':
      return measure(chunks)
    case 'standard-output':
      return terminal.printBytes(chunks)
    case 'file':
      return writeFileAtomically(destination.path, chunks, readMode(session))
    case 'agent': {
      const options = { ...readMode(session), createFolders: true }
      const bytes = await writeFileAtomically(destination.path, chunks, options)
      const problem = session.home && newSession && listSession(session.home, destination.path, newSession)
      if (problem !== undefined) terminal.note(neutralizeLine(`precis: the session was written, but ${problem}.`))
      return bytes
    }
  }
}

/** As private as the original, but its agent has to be able to go on writing. */
function readMode({ document }: LoadedSession): { mode?: number } {
  return document.stats ? { mode: document.stats.mode | OWNER_READ_WRITE } : {}
}

function measure(chunks: Iterable<Uint8Array>): number {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  return bytes
}

function* watchChunks(chunks: Iterable<Uint8Array>, watch: (chunk: Uint8Array) => void): Generator<Uint8Array> {
  for (const chunk of chunks) {
    watch(chunk)
    yield chunk
  }
}
