import type { Conversation } from '@precis/core'
import type { FormatOutput, NewSession } from '@precis/core/formats'
import type { LoadedSession } from '../sessions/load-session.ts'
import { writeFileAtomically } from '../sessions/write-file.ts'
import type { Destination } from './destination.ts'
import type { Terminal } from './terminal.ts'

const OWNER_READ_WRITE = 0o600

/** Serializes to the destination and gives the size in bytes; with nowhere to go it only measures. */
export async function writeResult(
  session: LoadedSession,
  conversation: Conversation,
  newSession: NewSession | undefined,
  destination: Destination,
  terminal: Terminal,
): Promise<number> {
  const chunks = splitOutput(session.format.serialize(conversation, newSession))
  switch (destination.type) {
    case 'nowhere':
      return measure(chunks)
    case 'standard-output':
      return terminal.printBytes(chunks)
    case 'file':
      return writeFileAtomically(destination.path, chunks, readMode(session))
    case 'agent':
      return writeFileAtomically(destination.path, chunks, { ...readMode(session), createFolders: true })
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

function splitOutput(output: FormatOutput): Iterable<Uint8Array> {
  if (typeof output === 'string') return [Buffer.from(output)]
  if (output instanceof Uint8Array) return [output]
  if (Symbol.iterator in output) return output
  return [Buffer.from(JSON.stringify(output))]
}
