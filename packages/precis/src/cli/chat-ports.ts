/** What the chat works with. */
import type { ChatPorts, TerminalPort } from '@precis/chat'
import { toModelMessages } from '@precis/core/formats'
import type { Environment } from '../agents/shared/agent.ts'
import {
  KEEP_HELP,
  LIMIT_HELP,
  readKeep,
  readLimit,
  readSpend,
  renderKeep,
  renderLimit,
  SPEND_HELP,
  strategyChoices,
} from '../configuration/choices.ts'
import { type Configuration, mergeSummarizers } from '../configuration/configuration.ts'
import { explainSystemError } from '../files/errors.ts'
import { acquireLease } from '../files/file-lease.ts'
import { readLines } from '../files/lines.ts'
import { openInputFile } from '../files/read-document.ts'
import { findUserFolders, shortenHome } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { createSummarizer } from '../language-models/create-summarizer.ts'
import { findBaseUrl, parseModelName, providers, readKey } from '../language-models/providers.ts'
import { CallError, type Clock, retry, systemClock } from '../language-models/retry.ts'
import { listNotices, renderWork } from '../reports/compression.ts'
import { renderFacts } from '../reports/facts.ts'
import { renderLargest, renderTools } from '../reports/inspection.ts'
import { describeSession } from '../sessions/describe-session.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { loadSession, renderDamagedLines } from '../sessions/load-session.ts'
import { cutToWidth, renderPreview, renderTable } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'

// How long the user may wait for the first words of a streaming model.
const LONGEST_SILENCE_MS = 280_000

/** The I/O that tests replace. */
interface ChatHost {
  readonly environment?: Environment
  readonly clock?: Clock
  readonly chatsFolder?: string
  readonly answersFolder?: string
}

/** Everything in precis that the chat works with. */
export function createChatPorts(
  terminal: Terminal,
  configuration: Configuration,
  host: ChatHost = {},
): ChatPorts {
  const { environment = process.env, clock = systemClock, answersFolder } = host
  const folders = findUserFolders()
  return {
    configuration,
    environment,
    clock,
    terminal: createTerminalPort(terminal),
    settings: {
      strategies: strategyChoices,
      spend: { read: readSpend, render: (spend) => spend, help: SPEND_HELP },
      threshold: { read: readLimit, render: renderLimit, help: LIMIT_HELP },
      keep: { read: readKeep, render: renderKeep, help: KEEP_HELP },
      createSummarizer: (name) =>
        createSummarizer(mergeSummarizers([configuration.summarizer, { name }]), {
          environment,
          answersFolder,
        }),
    },
    models: {
      providers,
      parseName: parseModelName,
      reach: (name, address) => reachModel(name, address, environment),
      explain: async (error, key) =>
        (await import('../language-models/explain-error.ts')).explainError(error, key),
      CallError,
      retry: (attempt, options) =>
        retry(attempt, { ...options, timeoutMs: LONGEST_SILENCE_MS, clock, isWatched: true }),
      longestTimeoutMs: LONGEST_SILENCE_MS,
    },
    sessions: {
      list: (most) =>
        listSessionFiles()
          .slice(0, most)
          .map((file) => ({ ...describeSession(file), agent: file.agent.name })),
      open: openChatSession,
    },
    files: {
      chatsFolder: host.chatsFolder ?? `${folders.data}/chats`,
      configurationFolder: folders.config,
      acquireLease,
      open: openInputFile,
      readLines,
      write: writeFileAtomically,
      explainError: explainSystemError,
    },
  }
}

async function openChatSession(name: string) {
  const { document, conversation, format, head, damage } = await loadSession(name)
  return {
    format: format.name,
    id: head?.sessionId ?? name,
    model: conversation.model,
    damage,
    messages: (protocol: Parameters<typeof toModelMessages>[1]) =>
      toModelMessages(conversation, protocol),
    close: () => document.close(),
  }
}

type ChatReach = ChatPorts['models']['reach']

function reachModel(
  { provider: name, model }: Parameters<ChatReach>[0],
  { baseUrl: givenUrl, keyFile }: Parameters<ChatReach>[1],
  environment: Environment,
): ReturnType<ChatReach> {
  const provider = providers[name]
  if (!provider) throw new Error(`There is no provider "${name}".`)
  const subject = `model "${name}/${model}"`
  const otherwise = 'run "precis chat --demo", which needs no key'
  const key = readKey({ subject, otherwise }, provider, keyFile, environment)
  const baseUrl = findBaseUrl(subject, givenUrl, provider, environment)
  return { key, load: () => provider.connect({ model, key, baseUrl }) }
}

export function createTerminalPort(terminal: Terminal): TerminalPort {
  const { colors } = terminal
  const page = (columns: number) => ({ columns, colors })
  return {
    colors,
    columns: terminal.columns,
    print: (text) => terminal.print(text),
    note: (text) => terminal.note(text),
    cut: cutToWidth,
    preview: renderPreview,
    shortenHome,
    table: ({ columns: titles, rows }, columns) =>
      renderTable(titles, rows, page(columns)).split('\n'),
    reports: {
      work: renderWork,
      facts: (report) => renderFacts(report, colors).split('\n'),
      notices: listNotices,
      tools: (tools, total, columns) => renderTools(tools, total, page(columns)).split('\n'),
      largest: (parts, total, directory, columns) =>
        renderLargest(parts, total, directory, page(columns)).split('\n'),
      damagedLines: renderDamagedLines,
    },
  }
}
