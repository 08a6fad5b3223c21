/**
 * A summary by precis that comes back inside words of the agent, for example after a compaction
 * that the gateway answered.
 */
import { hash } from 'node:crypto'
import type { Conversation, Message } from '@precis/core'
import { createSyntheticMessage } from '@precis/core/conversation'
import type { ConversationStore } from '@precis/core/following'
import type { Agent } from '../agents/shared/agent.ts'
import { openStore } from '../archive/open-store.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { ArchivePlace } from './ports.ts'

/** Separates the gateway's keys in a store from those of other programs. */
export const STORE_HOST = 'gateway'

const nameSummary = (text: string): string => `summary/${hash('sha256', text)}`

export async function rememberSummary(store: ConversationStore, text: string): Promise<void> {
  await store.write(nameSummary(text), '', undefined)
}

/**
 * Whether precis itself wrote exactly this text. Only such a text may be read as data. The check
 * needs the whole text and reveals nothing else, and logins are renewed in the middle of a session.
 * Therefore the answer is the same for all owners.
 */
export async function knowsSummary(store: ConversationStore, text: string): Promise<boolean> {
  return (await store.find([nameSummary(text)])) !== undefined
}

export interface RestoredSummary {
  /** Position of the message that contained it. */
  readonly place: number
  /** The summary as a separate message, and the rest of the message. */
  readonly messages: readonly Message[]
}

/** The latest one. Undefined if there is none that `knows` confirms. */
export async function findRestoredSummary(
  { messages }: Conversation,
  { wire }: Agent,
  knows: (text: string) => Promise<boolean>,
): Promise<RestoredSummary | undefined> {
  for (const [place, message] of [...messages.entries()].toReversed()) {
    for (const part of message.parts) {
      const summary = part.type === 'text' ? wire?.unwrapSummary(part.text) : undefined
      if (summary === undefined || !(await knows(summary))) continue
      const { records } = message
      const restored: Message = {
        ...createSyntheticMessage('user', summary),
        ...(records && { records }),
      }
      const parts = message.parts.filter((other) => other !== part)
      return {
        place,
        messages: [restored, ...(parts.length > 0 ? [{ ...message, parts } as Message] : [])],
      }
    }
  }
  return undefined
}

/**
 * The session, with its latest summary by precis restored so that its ledger is kept. If there is
 * no archive, no summary can be confirmed.
 */
export async function restoreSummary(
  session: LoadedSession,
  archive: ArchivePlace | undefined,
): Promise<LoadedSession> {
  const { conversation, agent } = session
  if (!archive || !agent?.wire) return session
  const store = openStore(archive.database, { host: STORE_HOST })
  try {
    const restored = await findRestoredSummary(conversation, agent, (text) =>
      knowsSummary(store, text),
    )
    if (!restored) return session
    const messages = [...conversation.messages]
    messages.splice(restored.place, 1, ...restored.messages)
    return { ...session, conversation: { ...conversation, messages } }
  } finally {
    await store.close()
  }
}
