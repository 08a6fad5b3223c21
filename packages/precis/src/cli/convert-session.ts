/** `--to`: a session of one agent, loaded as if it were one of another. */
import { createHash } from 'node:crypto'
import { type Conversation, type Message, readText } from '@precis/core'
import {
  type ConversionLoss,
  canAdopt,
  convertConversation,
  type Format,
  type FormatName,
  formats,
  type SessionStart,
  serializeConverted,
} from '@precis/core/formats'
import { findNextModel, type NextModel } from '../agents/next-model.ts'
import { findAgentHome } from '../sessions/agent-home.ts'
import type { LoadedSession } from '../sessions/load-session.ts'

/** The agents that can go on with a session of another one. */
export const targetNames: readonly FormatName[] = Object.values(formats)
  .filter(canAdopt)
  .map(({ name }) => name)

export interface Conversion {
  /** What goes on: of the agent that was asked for. */
  readonly session: LoadedSession
  readonly losses: readonly ConversionLoss[]
  /** With which model the agent goes on, where the session decides on it and not the agent alone. */
  readonly nextModel: NextModel | undefined
  /** The conversation with the messages of the source in the place of those that still say the same. */
  traceToSource(conversation: Conversation): Conversation
}

/** Undefined where the session is one of that agent already, or none was asked for. */
export function convertSession(source: LoadedSession, to: string | undefined): Conversion | undefined {
  const name = targetNames.find((target) => target === to)
  if (name === undefined || name === source.format.name) return undefined
  const format = formats[name]
  const { conversation, losses, sources } = convertConversation(source.conversation, format)
  const start = findStart(source)
  const recorded = format.adoption?.findModel?.(start)
  const nextModel =
    recorded && (name === 'opencode' || name === 'pi')
      ? findNextModel(name, recorded, start.workingDirectory)
      : undefined
  const session: LoadedSession = {
    ...source,
    format: adoptInto(format, start),
    conversation,
    home: findAgentHome(name),
    head: source.head ?? { sessionId: undefined, workingDirectory: undefined, firstPrompt: findPrompt(conversation) },
    convertedFrom: source.format.name,
    ...(nextModel?.isNamed && nextModel.model !== undefined && { resumeModel: nextModel.model }),
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
    workingDirectoryHash: createHash('sha256').update(workingDirectory).digest('hex'),
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
