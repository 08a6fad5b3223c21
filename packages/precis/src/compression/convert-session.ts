import { hash } from 'node:crypto'
import type { Conversation, Message } from '@precis/core'
import { readText } from '@precis/core/conversation'
import {
  type ConversionLoss,
  convertConversation,
  type Format,
  type SessionStart,
  serializeConverted,
} from '@precis/core/formats'
import type { Agent, NextModel } from '../agents/shared/agent.ts'
import type { LoadedSession } from '../sessions/load-session.ts'

export interface Conversion {
  /** The session to continue, in the requested agent. */
  readonly session: LoadedSession
  readonly losses: readonly ConversionLoss[]
  /** The model with which the agent continues, if the session can choose it. */
  readonly nextModel: NextModel | undefined
  /** The conversation, with messages of the source in place of unchanged ones. */
  traceToSource(conversation: Conversation): Conversation
}

/**
 * Undefined if the session belongs to that agent already, or no agent was requested. Agents may
 * share a format.
 */
export function convertSession(
  source: LoadedSession,
  agent: Agent | undefined,
): Conversion | undefined {
  if (!agent || agent.name === source.agent?.name) return undefined
  const { format } = agent
  if (format.name === source.format.name) {
    const session = { ...source, agent, convertedFrom: format.name }
    return { session, losses: [], nextModel: undefined, traceToSource: (same) => same }
  }
  const { conversation, losses, sources } = convertConversation(source.conversation, format)
  const start = findStart(source)
  const recorded = format.import?.findModel?.(start)
  const nextModel = recorded && agent.findNextModel?.(recorded, start.workingDirectory, process.env)
  const session: LoadedSession = {
    ...source,
    format: adoptInto(format, start),
    conversation,
    agent,
    head: source.head ?? {
      sessionId: undefined,
      workingDirectory: undefined,
      firstPrompt: findPrompt(conversation),
    },
    convertedFrom: source.format.name,
    resumeModel: nextModel?.isNamed ? nextModel.model : undefined,
  }
  const traceToSource = ({ messages, ...rest }: Conversation): Conversation => ({
    ...rest,
    messages: messages.map((message): Message => sources.get(message) ?? message),
  })
  return { session, losses, nextModel, traceToSource }
}

function findStart({ conversation, head }: LoadedSession): SessionStart {
  const workingDirectory = conversation.workingDirectory ?? head?.workingDirectory ?? process.cwd()
  const { model, provider, protocol } = conversation
  return {
    workingDirectory,
    workingDirectoryHash: hash('sha256', workingDirectory),
    protocol,
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
  }
}

function adoptInto(format: Format, start: SessionStart): Format {
  return {
    ...format,
    serialize(conversation, newSession) {
      if (!newSession) throw new Error(`Writing a ${format.name} session: it has no id yet.`)
      return serializeConverted(conversation, format, start, newSession)
    },
  }
}

function findPrompt({ messages }: Conversation): string | undefined {
  const first = messages.find(({ role, origin }) => role === 'user' && origin === 'user')
  return first && readText(first)
}
