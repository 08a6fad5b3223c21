/**
 * Adds what the compactions of an agent lost to a copy of the session: one message after the last
 * one, with the user's words that no request contains any more, and the weightiest facts.
 */
import { repairInvariants } from '@precis/core/conversation/invariants'
import { type CompactionLosses, findCompactionLosses, restoreLosses } from '@precis/core/facts'
import { CompressionError, type CompressionErrorCode } from '../files/errors.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { readTimeline } from '../sessions/load-session.ts'
import {
  chooseDestination,
  createNewSession,
  type DestinationOptions,
  renderTitle,
  writeSession,
} from './destination.ts'
import type { Ports } from './ports.ts'

export interface RestoredWords extends Pick<CompactionLosses, 'words'> {
  readonly isDryRun: boolean
  readonly input: string | undefined
  /** Undefined for standard output. */
  readonly output: string | undefined
  readonly agentName: string | undefined
  /** Messages of the user that are in the new session again. All, if they fit. */
  readonly putBack: number
  /** Facts that are in it again. */
  readonly facts: number
  readonly bytes: number
  readonly resumeCommand: string | undefined
}

// Some 10,000 tokens: less than a summary, in any window.
const MOST_CHARACTERS = 40_000

/** Throws `CompressionError` if nothing is lost, or if the document is no session of an agent. */
export async function putBackWords(
  session: LoadedSession,
  request: DestinationOptions,
  write: Ports['write'],
): Promise<RestoredWords> {
  const { agent, conversation, document, format, head, name } = session
  const refuse = (code: CompressionErrorCode, problem: string) =>
    new CompressionError(
      code,
      `Putting back the words of "${name}": ${problem}. Nothing was written.`,
    )
  if (format.kind !== 'session')
    throw refuse('wrong-usage', `it is a document of ${format.name} and no session of an agent`)
  const { timed } = readTimeline(session)
  const compacted = {
    before: { ...conversation, messages: timed.map(({ message }) => message) },
    after: conversation.messages,
  }
  const losses = findCompactionLosses(compacted)
  const { words } = losses
  if (words.gone === 0)
    throw refuse('wrong-usage', `none of ${words.total} messages of yours is gone from its context`)
  const restored = restoreLosses(losses, { limitCharacters: MOST_CHARACTERS })
  if (!restored)
    throw refuse(
      'cannot-fit',
      `${words.gone} lost messages of yours do not fit in ${MOST_CHARACTERS} characters`,
    )
  const destination = chooseDestination(session, request)
  const named = createNewSession(session, destination)
  const newSession = named && {
    ...named,
    title: renderTitle(head?.firstPrompt, 'words put back'),
  }
  const messages = [...conversation.messages, restored]
  const bytes = await writeSession(
    {
      session,
      newSession,
      destination,
      conversation: repairInvariants({ ...conversation, messages }),
    },
    write,
  )
  const left = findCompactionLosses({ ...compacted, after: messages })
  return {
    words,
    isDryRun: request.dryRun === true,
    input: document.path,
    output: 'path' in destination ? destination.path : undefined,
    agentName: agent?.title,
    putBack: words.gone - left.words.gone,
    facts: losses.facts.gone - left.facts.gone,
    bytes,
    resumeCommand: destination.type === 'agent' ? destination.placement.resumeCommand : undefined,
  }
}
