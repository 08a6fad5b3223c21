/** The places of new sessions, and the commands that continue them. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { canImport } from '@precis/core/formats'
import { neutralizeLine } from '@precis/core/text'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { quoteForShell, resolveRealPlace } from '../agents/shared/session-files.ts'
import { SessionError } from '../files/errors.ts'
import { STANDARD_INPUT } from './load-session.ts'

export interface Placement {
  readonly path: string
  /** A line for a shell, quoted. */
  readonly resumeCommand: string
}

export interface NewPlace {
  readonly agent: Agent
  readonly sessionId: string
  readonly time: Date
  /** Undefined for standard input. */
  readonly originalPath: string | undefined
  readonly workingDirectory: string | undefined
  /** `provider/model`, if the command has to name it. */
  readonly model?: string
}

/**
 * For sessions that precis only reads. `name` is what the user calls the session. The command is
 * for an agent that has its folder on this machine, if any has.
 */
export function refuseWriting(
  title: string,
  name: string,
  environment = process.env,
): SessionError {
  const targets = agents.filter(({ format }) => canImport(format))
  const target = targets.find((agent) => existsSync(agent.findHome(environment))) ?? targets[0]
  const advice = target
    ? ` Continue it in ${target.title}: precis compress ${quoteForShell(neutralizeLine(name))} --to ${target.name}`
    : ''
  return new SessionError(
    'unwritable',
    `Writing a session of ${title}: precis only reads its sessions.${advice}`,
  )
}

/** An id in the agent's form. A UUID if no agent is known. */
export function createSessionId(agent: Agent | undefined): string {
  const uuid = randomUUID()
  return agent?.ids.create(uuid) ?? uuid
}

/** The place in which the session's agent will find it. Throws `SessionError`. */
export function placeSession(
  { agent, sessionId, time, originalPath, workingDirectory, model }: NewPlace,
  environment = process.env,
): Placement {
  if (!agent.place) throw refuseWriting(agent.title, originalPath ?? STANDARD_INPUT, environment)
  const directory =
    workingDirectory !== undefined && isAbsolute(workingDirectory) ? workingDirectory : undefined
  const path = agent.place({
    sessionId,
    time,
    originalPath: originalPath === undefined ? undefined : resolveRealPlace(originalPath),
    directory,
    environment,
  })
  return { path, resumeCommand: agent.resume({ sessionId, path, directory, model }) }
}
