/** The model of a coding agent, asked by the agent's own command and paid for with its own login. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createTokenCounter, findModel } from '@precis/core'
import type { Generation, GenerationRequest, LanguageModel } from '@precis/core/summarizers'
import type { Environment } from '../agents/shared/agent.ts'
import { LONGEST_TIMEOUT_MS } from '../configuration/choices.ts'
import {
  ConfigurationError,
  explainSystemError,
  quietly,
  systemErrorCode,
} from '../files/errors.ts'
import { createTemporaryFolder, removeAbandonedFolders } from '../files/temporary-folder.ts'
import { findTimeout, renderSeconds } from './language-model.ts'
import { OVERFLOW, renderFailure } from './providers.ts'
import type { HeadlessAgent } from './summarizer-name.ts'
import '@precis/core/tokens/cl100k'
import '@precis/core/tokens/o200k'
import { type ChildProcess, execFileSync } from 'node:child_process'
import { constants } from 'node:os'
import { spawn } from 'cross-spawn'
import type { Headless, HeadlessPlan } from '../agents/shared/headless.ts'

/** Processes at the same time, unless the user says otherwise: each is a whole agent. */
export const AGENTS_IN_FLIGHT = 2
/** Set for an agent that writes a summary, so that it cannot ask for another one. */
const VARIABLE = 'PRECIS_SUMMARIZING'
// It starts, logs in, and its model may think before it writes.
const START_MS = 60_000
const PATIENCE = 2
const MOST_OUTPUT_TOKENS = 32_000
const CHARACTERS_PER_TOKEN = 3

export interface AgentModelOptions {
  /** `agent/claude` or `agent/claude/sonnet`. */
  readonly name: string
  readonly agent: HeadlessAgent
  /** The model in the agent's own words. Undefined for the one that the agent is set to. */
  readonly model: string | undefined
  readonly environment: Environment
  readonly contextWindowTokens?: number
  readonly timeoutMs?: number
  readonly enqueue: <T>(call: () => Promise<T>) => Promise<T>
}

/** Throws `ConfigurationError` inside of an agent that writes a summary itself. */
export function createAgentModel(options: AgentModelOptions): LanguageModel {
  const { name, agent, environment, enqueue } = options
  const { headless } = agent
  if (environment[VARIABLE]) {
    throw new ConfigurationError(
      'invalid-configuration',
      `Summarizing with "${name}": ${agent.title} was started to write a summary, and may not ask for another one. Use "digest".`,
    )
  }
  const named = options.model === undefined ? undefined : findModel(options.model)
  const model = named?.known ? named : findModel(headless.usualModel ?? 'unknown')
  const counter = createTokenCounter(model)
  const windowTokens = named?.known ? named.contextWindowTokens : headless.windowTokens
  const contextWindowTokens = options.contextWindowTokens ?? windowTokens
  return {
    name,
    contextWindowTokens,
    maxOutputTokens: Math.min(
      model.outputLimitTokens,
      MOST_OUTPUT_TOKENS,
      Math.floor(contextWindowTokens / 2),
    ),
    countTokens: (text) => counter.countText(text).upper,
    generate: (request) => enqueue(() => generate(options, request)),
  }
}

async function generate(
  options: AgentModelOptions,
  request: GenerationRequest,
): Promise<Generation> {
  const { signal } = request
  signal?.throwIfAborted()
  const neededMs = findTimeout(
    request.prompt.length / CHARACTERS_PER_TOKEN,
    request.maxOutputTokens,
  )
  const timeoutMs =
    options.timeoutMs ?? Math.min(START_MS + PATIENCE * neededMs, LONGEST_TIMEOUT_MS)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), timeoutMs)
  const both = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal
  try {
    return read(options.agent, await run(options, request, both), request)
  } catch (error) {
    signal?.throwIfAborted()
    if (!limit.signal.aborted) throw error
    return fail('timed-out', `no answer within ${renderSeconds(timeoutMs)}`)
  } finally {
    clearTimeout(timer)
  }
}

async function run(
  { agent: { headless }, model, environment }: AgentModelOptions,
  { system, prompt }: GenerationRequest,
  signal: AbortSignal,
): Promise<AgentOutput> {
  removeAbandonedFolders()
  const temporary = createTemporaryFolder()
  const folder = join(temporary.path, basename(temporary.path))
  mkdirSync(folder)
  const request = { folder, model, environment }
  try {
    return await runAgent(headless, {
      plan: headless.plan(request),
      folder,
      environment: { ...environment, [VARIABLE]: '1' },
      prompt: [system, prompt, headless.closing ?? ''].join('\n\n').trimEnd(),
      signal,
    })
  } finally {
    headless.forget?.(request)
    temporary.remove()
  }
}

function read(
  { headless, title }: HeadlessAgent,
  ran: AgentOutput,
  { system, prompt }: GenerationRequest,
): Generation {
  if (ran.type !== 'ended') {
    const reason = ran.type === 'not-started' ? 'misconfigured' : 'unavailable'
    return fail(reason, ran.message)
  }
  // Some print their failure as an answer on standard error.
  const lastObject = ran.errors.slice(ran.errors.lastIndexOf('\n{') + 1)
  const answer = headless.readAnswer(ran.output) ?? headless.readAnswer(lastObject)
  if (answer?.type === 'text') {
    const { text, isCutOff = false, inputTokens, outputTokens } = answer
    const usage = { calls: 1, inputTokens, outputTokens }
    return { type: 'text', text, finishReason: isCutOff ? 'length' : 'stop', usage }
  }
  const asked = new Set(`${system}\n${prompt}`.split('\n').map((line) => line.trim()))
  const reason = answer
    ? (answer.message ?? 'it says no reason')
    : (findReason(ran.errors, asked) ?? findReason(ran.output, asked) ?? '')
  const said = renderFailure(reason)
  const message = said === '' ? `${title} printed no answer` : said
  return fail(OVERFLOW.test(said) ? 'overflow' : 'unavailable', message)
}

/**
 * The last line that speaks of an error, or else the last one. Some agents print what they are
 * asked, and lines of a conversation are no reason.
 */
function findReason(output: string, asked: ReadonlySet<string>): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !asked.has(line.trim()))
  return lines.findLast((line) => /error|fail|log ?in|limit/i.test(line)) ?? lines.at(-1)
}

function fail(
  reason: Extract<Generation, { type: 'failed' }>['reason'],
  message: string,
): Generation {
  return { type: 'failed', reason, message, usage: { calls: 1, inputTokens: 0, outputTokens: 0 } }
}

interface AgentRun {
  readonly plan: HeadlessPlan
  /** Empty. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly prompt: string
  /** Ends it with all that it started. */
  readonly signal: AbortSignal
}

/** The output of the program, or the reason why there is none. */
type AgentOutput =
  | { readonly type: 'ended'; readonly output: string; readonly errors: string }
  | { readonly type: 'not-started' | 'too-long'; readonly message: string }

// No answer is nearly as large.
const MOST_OUTPUT_CHARACTERS = 16 << 20
const MOST_ERROR_CHARACTERS = 4000
// To remove what it notes about a run.
const GRACE_MS = 2000

/**
 * Rejects with the reason of the signal. The prompt goes to standard input, where other users of
 * the machine cannot read it.
 */
async function runAgent(headless: Headless, run: AgentRun): Promise<AgentOutput> {
  const { plan, folder, environment, prompt, signal } = run
  signal.throwIfAborted()
  for (const [name, text] of Object.entries(plan.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  }
  const child = spawn(headless.program, [...plan.arguments], {
    cwd: folder,
    env: { ...environment, ...plan.environment },
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  noteStart(child)
  let kill: NodeJS.Timeout | undefined
  const end = () => {
    endGroup(child, 'SIGTERM')
    kill ??= setTimeout(() => endGroup(child, 'SIGKILL'), GRACE_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    const collected = collect(child, headless.repeats, end)
    // It may end without having read all of it.
    child.stdin?.on('error', () => child.stdin?.destroy())
    child.stdin?.end(prompt)
    await untilEnded(child)
    signal.throwIfAborted()
    return collected()
  } catch (error) {
    signal.throwIfAborted()
    const isMissing = systemErrorCode(error) === 'ENOENT'
    const message = isMissing
      ? `there is no program "${headless.program}". "${headless.install}" installs it`
      : `"${headless.program}" could not be started: ${explainSystemError(error)}`
    return { type: 'not-started', message }
  } finally {
    signal.removeEventListener('abort', end)
    clearTimeout(kill)
    // What it started may still run.
    endGroup(child, 'SIGKILL')
    running.delete(child)
  }
}

// For output that is still to be read when the agent has ended.
const LAST_OUTPUT_MS = 1000

/** A process that it left behind in another group may hold its output open for ever. */
async function untilEnded(child: ChildProcess): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve())
      child.once('exit', () => {
        timer = setTimeout(resolve, LAST_OUTPUT_MS)
      })
    })
  } finally {
    clearTimeout(timer)
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}

function collect(child: ChildProcess, repeats: string | undefined, end: () => void) {
  const lines: string[] = []
  let [rest, errors, characters] = ['', '', 0]
  const keep = (line: string) => {
    if (repeats !== undefined && line.startsWith(repeats)) return
    lines.push(line)
    characters += line.length
  }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n')
    rest += first
    for (const line of others) {
      keep(rest)
      rest = line
    }
    if (characters + rest.length > MOST_OUTPUT_CHARACTERS) end()
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-MOST_ERROR_CHARACTERS)
  })
  return (): AgentOutput => {
    if (characters + rest.length > MOST_OUTPUT_CHARACTERS) {
      const message = `it printed more than ${MOST_OUTPUT_CHARACTERS} characters`
      return { type: 'too-long', message }
    }
    return { type: 'ended', output: [...lines, rest].join('\n'), errors }
  }
}

const running = new Set<ChildProcess>()

/** A group of its own does not hear what ends this process. */
function noteStart(child: ChildProcess): void {
  if (running.size === 0) {
    if (!process.listeners('exit').includes(endAll)) process.once('exit', endAll)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      if (process.listenerCount(signal) === 0)
        process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
  running.add(child)
}

function endAll(): void {
  for (const child of running) endGroup(child, 'SIGKILL')
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  quietly(() =>
    process.platform === 'win32'
      ? execFileSync('taskkill', ['/T', '/F', '/PID', String(pid)], { stdio: 'ignore' })
      : process.kill(-pid, signal),
  )
}
