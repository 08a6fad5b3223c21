import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { ChatAgent, ChatOptions, Confirm } from '../chat/chat-agent.ts'
import type { KeptEnds } from '../configuration/configuration.ts'
import { strategyChoices } from '../configuration/strategy-choices.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addKeepOption, parseThreshold } from './budget.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfigured } from './read-configured.ts'
import { addSummarizerOptions, type SummarizerFlags } from './summarizer-option.ts'

interface ChatFlags extends SummarizerFlags {
  readonly model?: string
  readonly resume?: true | string
  readonly demo?: boolean
  readonly allowWrite?: boolean
  readonly allowShell?: boolean
  readonly window?: number
  readonly strategy?: string
  readonly threshold?: number
  readonly keep?: KeptEnds
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
    .option('--demo', 'talk to a scripted model, without a key and without a network')
    .option('--allow-write', 'let the model write files in this folder; asks before each')
    .option('--allow-shell', 'let the model run shell commands in this folder; asks before each')
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

function parseTokens(text: string): number {
  const [, digits, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(k|K|m|M)?$/.exec(text) ?? []
  const factor = unit === undefined ? 1 : unit.toLowerCase() === 'k' ? 1000 : 1_000_000
  const tokens = digits === undefined ? Number.NaN : Math.round(Number(digits) * factor)
  if (!(tokens >= MIN_WINDOW_TOKENS))
    throw new InvalidArgumentError(`Give a number of tokens from ${MIN_WINDOW_TOKENS} on, such as 16000 or 16k.`)
  return tokens
}

async function chat(flags: ChatFlags, terminal: Terminal): Promise<void> {
  // The first to ask is the tool that wants to write; by then the screen stands.
  let confirm: Confirm = async () => false
  const options = await readOptions(flags, (question, signal) => confirm(question, signal))
  const { openChat } = await import('../chat/open-chat.ts')
  const agent = await openChat(options)
  const setting = {
    agent,
    isDemo: options.isDemo,
    workingDirectory: options.workingDirectory,
    open: (resume: string) => openChat({ ...options, resume }),
    setConfirm: (asked: Confirm) => {
      confirm = asked
    },
  }
  const { createPalette } = await import('../chat/terminal/palette.ts')
  const palette = createPalette(terminal.colors)
  if (hasScreen()) {
    const { runChat } = await import('../chat/terminal/run-chat.ts')
    printFarewell(await runChat(setting, palette), terminal)
    return
  }
  const { runPlainChat } = await import('../chat/terminal/plain-chat.ts')
  const { failures } = await runPlainChat(setting, palette, terminal)
  if (failures > 0) process.exitCode = exitCodes.failed
}

function hasScreen(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== 'dumb'
}

async function readOptions(flags: ChatFlags, confirm: Confirm): Promise<ChatOptions> {
  const { model, resume, strategy, summarizer, threshold, keep, window: windowTokens } = flags
  const configuration = await readConfigured(flags)
  return {
    isDemo: flags.demo === true,
    allowWrite: flags.allowWrite === true,
    allowShell: flags.allowShell === true,
    confirm,
    workingDirectory: process.cwd(),
    configuration,
    ...(model !== undefined && { model }),
    ...(resume !== undefined && { resume }),
    ...(windowTokens !== undefined && { windowTokens }),
    ...(strategy !== undefined && { strategy }),
    ...(summarizer !== undefined && { summarizer }),
    ...(threshold !== undefined && { threshold }),
    ...(keep && { keep }),
  }
}

/** How to come back. */
function printFarewell({ historyFile, context }: ChatAgent, terminal: Terminal): void {
  if (historyFile === undefined || context.messages.length === 0) return
  const id = historyFile.slice(historyFile.lastIndexOf('/') + 1).replace(/\.jsonl$/, '')
  terminal.note(terminal.colors.dim(`Go on with it: precis chat --resume ${id}`))
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
