import type { ChatError, ChatErrorCode, ChatOptions, ChatPorts, TerminalPort } from '@precis/chat'
import { toModelMessages } from '@precis/core/formats'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  KEEP_HELP,
  readKeep,
  readThreshold,
  renderKeep,
  renderThreshold,
  strategyChoices,
  THRESHOLD_HELP,
} from '../configuration/choices.ts'
import { type Configuration, mergeSummarizers } from '../configuration/configuration.ts'
import { explainSystemError, systemErrorCode } from '../files/errors.ts'
import { acquireLease } from '../files/file-lease.ts'
import { installChat } from '../files/how-to-install.ts'
import { readLines } from '../files/lines.ts'
import { openInputFile } from '../files/read-document.ts'
import { findUserFolders, shortenHome } from '../files/user-folders.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { createSummarizer } from '../language-models/create-summarizer.ts'
import {
  type Environment,
  findBaseUrl,
  parseModelName,
  providers,
  readKey,
} from '../language-models/providers.ts'
import { CallError, type Clock, retry, systemClock } from '../language-models/retry.ts'
import { describeSession } from '../sessions/describe-session.ts'
import { findUniquePrefixes } from '../sessions/filter-sessions.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { loadSession, renderDamagedLines } from '../sessions/load-session.ts'
import { cutToWidth, renderPreview, renderTable } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { explainSubstitute, renderWork } from './compress-report.ts'
import { type ExitCode, exitCodes, Failure } from './failure.ts'
import { renderLargest, renderTools } from './inspect.ts'
import { addKeepOption, parseThreshold } from './options.ts'
import { addSummarizerOptions, readConfigured, type SummarizerFlags } from './read-configured.ts'
import { renderFacts } from './render-facts.ts'

interface ChatFlags
  extends SummarizerFlags,
    Pick<ChatOptions, 'model' | 'resume' | 'strategy' | 'threshold' | 'keep'> {
  readonly demo?: boolean
  readonly window?: number
}

export function defineChat(command: Command, terminal: Terminal): void {
  command
    .description(
      'Opens a chat with a model in this folder: it reads, lists and searches files here, and its history always fits the window.\n\n' +
        'On a terminal it has a screen; in a pipe every line of standard input is a question, and answers go to standard output.',
    )
    .option(
      '-m, --model <provider/model>',
      'the model that answers, for example anthropic/claude-sonnet-5 (default: a model of the first provider whose key is there)',
    )
    .option(
      '-r, --resume [session]',
      'go on with a chat, or with a session of a coding agent: an id, its beginning or a path; alone: the newest chat of this folder',
    )
    .option('--demo', 'talk to a recorded session, without a key and without a network')
    .option(
      '-w, --window <tokens>',
      'take the window for so large: 16000 or 16k (default: what is known of the model)',
      parseTokens,
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'which parts go when it is full; "auto", the default, takes the gentlest way that suffices',
      ).choices(Object.keys(strategyChoices)),
    )
    .option(
      '--threshold <share>',
      'share of the window from which on it is compressed, 0.8 or 80% (default: 0.8; later while the cache is warm and it fits)',
      parseThreshold,
    )
  addKeepOption(command)
  addSummarizerOptions(command)
    .addHelpText('after', CHAT_HELP)
    .action((flags: ChatFlags) => chat(flags, terminal))
}

const MIN_WINDOW_TOKENS = 1000
// Until a model that streams says something: somebody waits for it.
const LONGEST_SILENCE_MS = 280_000

function parseTokens(text: string): number {
  const [, digits, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(k|K|m|M)?$/.exec(text) ?? []
  const factor = unit === undefined ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000
  const tokens = digits === undefined ? Number.NaN : Math.round(Number(digits) * factor)
  if (!(tokens >= MIN_WINDOW_TOKENS))
    throw new InvalidArgumentError(
      `Give a number of tokens from ${MIN_WINDOW_TOKENS} on, such as 16000 or 16k.`,
    )
  return tokens
}

async function chat(flags: ChatFlags, terminal: Terminal): Promise<void> {
  const { runChat } = await loadChat()
  const { model, resume, strategy, summarizer, threshold, keep } = flags
  const options: ChatOptions = {
    isDemo: flags.demo === true,
    workingDirectory: process.cwd(),
    ports: createChatPorts(terminal, await readConfigured(flags)),
    windowTokens: flags.window,
    model,
    resume,
    strategy,
    summarizer,
    threshold,
    keep,
  }
  const { failures } = await runChat(options).catch((error: unknown) => {
    throw asChatFailure(error) ?? error
  })
  if (failures > 0) process.exitCode = exitCodes.failed
}

async function loadChat(): Promise<typeof import('@precis/chat')> {
  try {
    return await import('@precis/chat')
  } catch (error) {
    const isMissing =
      systemErrorCode(error) === 'ERR_MODULE_NOT_FOUND' && String(error).includes("'@precis/chat'")
    if (!isMissing) throw error
    throw new Failure(
      'chat-missing',
      exitCodes.wrongUsage,
      `Opening a chat: it is a package of its own, which is not installed. Install it beside this command. ${installChat.where}\n${installChat.command}`,
    )
  }
}

const CHAT_EXIT_CODES: Readonly<Record<ChatErrorCode, ExitCode>> = {
  'no-such-session': exitCodes.invalidInput,
  unreadable: exitCodes.invalidInput,
  unwritable: exitCodes.failed,
  'ambiguous-session': exitCodes.wrongUsage,
  'invalid-configuration': exitCodes.wrongUsage,
  'unknown-model': exitCodes.wrongUsage,
  'missing-key': exitCodes.wrongUsage,
}

/** By its name: the class belongs to a package that is loaded where it is there. */
function asChatFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error) || error.name !== ('ChatError' satisfies ChatError['name']))
    return undefined
  const { code, message } = error as ChatError
  return new Failure(code, CHAT_EXIT_CODES[code], message)
}

const CHAT_HELP = `
Examples:
  precis chat --demo                        try it: automatic, /compress and /model, without a key
  precis chat                               ask about the files of this folder
  precis chat --resume 3f2a -m openai/gpt-5 go on with a session of Claude Code, in another model
  precis chat --demo --window 8k            see how a small window stays open
  echo "What is in here?" | precis chat     one question per line, answers on standard output

In the chat /help lists commands and keys. A key is read from ANTHROPIC_API_KEY, OPENAI_API_KEY,
GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`

/** The parts of the world that tests replace. */
interface ChatHost {
  readonly environment?: Environment
  readonly clock?: Clock
  readonly chatsFolder?: string
  readonly answersFolder?: string
}

/** Everything of precis that the chat works with. */
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
      threshold: { read: readThreshold, render: renderThreshold, help: THRESHOLD_HELP },
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
      open: async (name) => {
        const { document, conversation, format, head, damage } = await loadSession(name)
        return {
          format: format.name,
          id: head?.sessionId ?? name,
          model: conversation.model,
          damage,
          messages: (protocol) => toModelMessages(conversation, protocol),
          close: () => document.close(),
        }
      },
      findUniquePrefixes,
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

type ChatReach = ChatPorts['models']['reach']

function reachModel(
  { provider: name, model }: Parameters<ChatReach>[0],
  { baseUrl: givenUrl, keyFile }: Parameters<ChatReach>[1],
  environment: Environment,
): ReturnType<ChatReach> {
  const provider = providers[name]
  if (!provider) throw new Error(`There is no provider "${name}".`)
  const subject = `model "${name}/${model}"`
  const otherwise = 'run "precis chat --demo", which needs none'
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
      substitute: explainSubstitute,
      tools: (tools, total, columns) => renderTools(tools, total, page(columns)).split('\n'),
      largest: (parts, total, directory, columns) =>
        renderLargest(parts, total, directory, page(columns)).split('\n'),
      damagedLines: renderDamagedLines,
    },
  }
}
