/**
 * A summary of precis that comes back inside of words of the agent, as after a compaction that the
 * gateway answered.
 */
import { createHash } from 'node:crypto'
import type { Conversation, Message } from '@precis/core'
import { createSyntheticMessage } from '@precis/core/conversation'
import type { ConversationStore } from '@precis/core/following'
import type { Agent } from '../agents/shared/agent.ts'
import { openStore } from '../archive/open-store.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import type { ArchivePlace } from './ports.ts'

/** Keys of the gateway in a store are apart from those of other programs. */
export const STORE_HOST = 'gateway'

const nameSummary = (text: string): string =>
  `summary/${createHash('sha256').update(text).digest('hex')}`

export async function rememberSummary(store: ConversationStore, text: string): Promise<void> {
  await store.write(nameSummary(text), '', undefined)
}

/**
 * Whether precis itself made this very text: nobody else can make one that is read as data. Who has
 * all of a text learns nothing by it, and logins are renewed in the middle of a session: so it is
 * the same for all.
 */
export async function knowsSummary(store: ConversationStore, text: string): Promise<boolean> {
  return (await store.find([nameSummary(text)])) !== undefined
}

export interface RestoredSummary {
  /** Position of the message that it was in. */
  readonly place: number
  /** The summary as what it is, and what else the message had. */
  readonly messages: readonly Message[]
}

/** The newest one; undefined where there is none that `knows` vouches for. */
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
 * The session with its newest summary of precis as what it is: its ledger goes on. Without an
 * archive nothing vouches for one.
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
