/** Runs a hook that has a session to keep. It loads formats, agents and the archive. */

import { agents as allAgents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { answerByKeeping } from '../agents/shared/entry.ts'
import type { HookHost, KeepOptions, KeptSession } from '../agents/shared/installation.ts'
import { type ArchivedCompression, findNewestEntry, isAnswered } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import { forgetVariables, readConfiguration } from '../configuration/read-configuration.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import type { JsonObject } from '../files/lines.ts'
import { findRecallTool, REFERENCE_DIGITS } from '../installation/recall-tool.ts'
import { NO_DAMAGE } from '../sessions/load-session.ts'
import { renderDamage } from '../terminal/with-session.ts'
import { keepDocument, keepSession } from './keep-original.ts'
import { type ArchivePlace, findArchive } from './ports.ts'

type HookNote = (text: string) => void

export interface HookOptions {
  /** Whether a plugin started it, and not the entry of "precis install". */
  readonly isPlugin: boolean
  /** Reports why nothing was done. */
  readonly note: HookNote
}

/** The answer for the agent, if it waits for one. */
export async function answerHook(
  name: string,
  input: JsonObject,
  { isPlugin, note }: HookOptions,
): Promise<object | string | undefined> {
  const agent = allAgents.find((known) => known.name === name)
  if (isPlugin && agent && findRecallTool(agent)) {
    note('"precis install" has added a hook that does the same')
    return undefined
  }
  const host = createHost({ agent, place: await findPlace(note), isPlugin, note })
  const { installation } = agent ?? {}
  return installation?.answerHook
    ? await installation.answerHook(input, host)
    : await answerByKeeping(input, host)
}

interface HostOptions extends HookOptions {
  readonly agent: Agent | undefined
  readonly place: ArchivePlace | undefined
}

function createHost({ agent, place, isPlugin, note }: HostOptions): HookHost {
  return {
    environment: process.env,
    async keepSession(name, { isDue = () => true, keptMessages = 0 }: KeepOptions = {}) {
      if (!place) return undefined
      const stored = await keepSession(
        name,
        place,
        keptMessages,
        ({ document: { source }, conversation, ...loaded }) => {
          for (const line of renderDamage(loaded)) note(line)
          return isDue({ source, conversation })
        },
      )
      return stored && nameKept(stored.hash)
    },
    async keepDocument({ source, conversation, sessionId, keptMessages }) {
      if (!place || !agent) return undefined
      const { messages } = conversation
      const kept = messages.slice(messages.length - keptMessages)
      const session = {
        source,
        format: agent.format.name,
        sessionId,
        path: undefined,
        conversation,
        kept,
      }
      return nameKept((await keepDocument({ ...session, damage: NO_DAMAGE }, place)).hash)
    },
    findRecall: (session) =>
      findKept(session, async (_, { originalHash }) => {
        const tool = isPlugin
          ? agent?.installation?.pluginRecallTool
          : agent && findRecallTool(agent)?.toolName
        return tool === undefined
          ? undefined
          : { tool, reference: nameKept(originalHash).reference }
      }),
    isAnswered: async (session) => (await findKept(session, isAnswered)) ?? false,
  }

  /** Undefined if nothing was kept at the last compaction of the session. */
  async function findKept<Found>(
    session: string,
    find: (database: Database, entry: ArchivedCompression) => Promise<Found>,
  ): Promise<Found | undefined> {
    const database = place && agent && (await openArchive(place.database))
    if (!database) return undefined
    try {
      const entry = await findNewestEntry(database, session)
      return entry.command === 'compact' ? await find(database, entry) : undefined
    } catch (error) {
      if (error instanceof ArchiveError) return undefined
      throw error
    } finally {
      await database.close()
    }
  }
}

function nameKept(hash: string): KeptSession {
  return { hash, reference: hash.slice(0, REFERENCE_DIGITS) }
}

/** Undefined if the user wants nothing kept. */
async function findPlace(note: HookNote): Promise<ArchivePlace | undefined> {
  const forgotten = forgetVariables(process.env).map(
    (name) => `${name} is ignored in a hook: a project can set it`,
  )
  const { archive, notices } = await readConfiguration(process.cwd())
  for (const notice of [...forgotten, ...notices]) note(notice)
  return findArchive(archive)
}
