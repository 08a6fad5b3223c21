import type { ChatError, ChatErrorCode, ChatOptions } from '@precis/chat'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { strategyChoices } from '../configuration/choices.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { systemErrorCode } from '../files/errors.ts'
import { installChat } from '../files/how-to-install.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createChatPorts } from './chat-ports.ts'
import { type ExitCode, exitCodes, Failure } from './failure.ts'
import {
  addKeepOption,
  addSummarizerOptions,
  createSpendOption,
  parseLimit,
  type SummarizerFlags,
} from './options.ts'

interface ChatFlags
  extends SummarizerFlags,
    Pick<ChatOptions, 'model' | 'resume' | 'strategy' | 'spend' | 'threshold' | 'keep'> {
  readonly demo?: boolean
  readonly window?: number
}

export function defineChat(command: Command, terminal: Terminal): void {
  command
    .description(
      'Opens a chat with a model in this folder. It reads, lists and searches files here, and its history always fits the window.\n\n' +
        'On a terminal it has a screen. In a pipe, every line of standard input is a question, and answers go to standard output.',
    )
    .option(
      '-m, --model <provider/model>',
      'the model that answers, for example anthropic/claude-sonnet-5 (default: a model of the first provider with a key)',
    )
    .option(
      '-r, --resume [session]',
      'continue a chat, or a session of a coding agent: an id, its beginning or a path (default: the latest chat of this folder)',
    )
    .option('--demo', 'chat with a recorded session, without a key or a network')
    .option(
      '-w, --window <tokens>',
      'size of the window: 16000 or 16k (default: the known window of the model)',
      parseTokens,
    )
    .addOption(
      new Option(
        '-s, --strategy <name>',
        'which parts are removed when it is full ("auto", the default, uses the gentlest strategy that is enough)',
      ).choices(Object.keys(strategyChoices)),
    )
    .addOption(createSpendOption())
    .option(
      '--threshold <share|tokens>',
      'compress above this share of the window, 0.8 or 80%, or above this many tokens, 120000 or 120k (default: as --spend decides)',
      parseLimit,
    )
  addKeepOption(command)
  addSummarizerOptions(command)
    .addHelpText('after', CHAT_HELP)
    .action((flags: ChatFlags) => chat(flags, terminal))
}

const MIN_WINDOW_TOKENS = 1000

function parseTokens(text: string): number {
  const [, digits, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(k|K|m|M)?$/.exec(text) ?? []
  const factor = unit === undefined ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000
  const tokens = digits === undefined ? Number.NaN : Math.round(Number(digits) * factor)
  if (!(tokens >= MIN_WINDOW_TOKENS))
    throw new InvalidArgumentError(
      `Give a number of tokens, at least ${MIN_WINDOW_TOKENS}, such as 16000 or 16k.`,
    )
  return tokens
}

async function chat(flags: ChatFlags, terminal: Terminal): Promise<void> {
  const { runChat } = await loadChat()
  const { model, resume, strategy, summarizer, spend, threshold, keep } = flags
  const options: ChatOptions = {
    isDemo: flags.demo === true,
    workingDirectory: process.cwd(),
    ports: createChatPorts(terminal, await readConfigured(flags)),
    windowTokens: flags.window,
    model,
    resume,
    strategy,
    summarizer,
    spend,
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
      `Opening a chat: it is a separate package that is not installed. Install it next to this command. ${installChat.where}\n${installChat.command}`,
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

/** By its name, because the class belongs to an optional package. */
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
  precis chat --resume 3f2a                 continue a session of an agent
  precis chat --demo --window 8k            see how a small window stays open
  echo "What is in here?" | precis chat     one question per line, answers on standard output

In the chat /help lists commands and keys. A key is read from ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY.

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 input unreadable or invalid, 130 interrupted.
`
