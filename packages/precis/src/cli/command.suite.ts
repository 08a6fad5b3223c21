/** Runs the command, in this process or in a separate one, and makes sessions for it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createProgram } from './program.ts'
import { type CreateProgram, run } from './run.ts'

export const BIN = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

export const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

export interface CommandResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array
  readonly environment?: Readonly<Record<string, string>>
  readonly directory?: string
}

export interface StartOptions extends RunOptions {
  /** Whether the command waits for more input until it is stopped. */
  readonly keepsInputOpen?: boolean
  /** Gets the running process, to interrupt it. */
  readonly onStart?: (child: ChildProcess) => void
}

/** A home with no agent, so that no test depends on the machine. */
export function createHome(): string {
  return mkdtempSync(join(tmpdir(), 'precis-home-'))
}

/**
 * Runs the command in this process, one run after the other. `startPrecis` starts a separate
 * process.
 */
export function runPrecis(
  home: string,
  words: readonly string[],
  options?: RunOptions,
): Promise<CommandResult> {
  return runCommand(
    home,
    words,
    (terminal) => createProgram(terminal, VERSION, words[0] ?? ''),
    options,
  )
}

/** What a command prints with `--json`. Throws if the command fails. */
export async function runJson(
  home: string,
  words: readonly string[],
  options?: RunOptions,
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its command prints.
): Promise<any> {
  const { code, stdout, stderr } = await runPrecis(home, [...words, '--json'], options)
  if (code !== 0) throw new Error(`precis ${words.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** The same with a program that is not `precis`. */
export function runCommand(
  home: string,
  words: readonly string[],
  create: CreateProgram,
  options: RunOptions = {},
): Promise<CommandResult> {
  const result = previous.then(() => runHere(home, words, create, options))
  previous = result.catch(() => {})
  return result
}

// Environment, folder and streams belong to the whole process.
let previous: Promise<unknown> = Promise.resolve()

async function runHere(
  home: string,
  words: readonly string[],
  create: CreateProgram,
  options: RunOptions,
): Promise<CommandResult> {
  const input = options.stdin ?? ''
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false })
  const stdout = collect()
  const stderr = collect()
  const restore = enterWorld({
    environment: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      ...findFolders(home),
      ...options.environment,
    },
    directory: options.directory ?? home,
    argv: [process.execPath, BIN, ...words],
    streams: { stdin, stdout: stdout.stream, stderr: stderr.stream },
  })
  try {
    await run(words, create)
    const code = Number(process.exitCode ?? 0)
    return { code, signal: null, stdout: stdout.read(), stderr: stderr.read() }
  } finally {
    restore()
  }
}

/**
 * Their usual places. Set explicitly, because env-paths reads the home directory only once per
 * process.
 */
function findFolders(home: string): Readonly<Record<string, string>> {
  return {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_CACHE_HOME: join(home, '.cache'),
  }
}

interface World {
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly argv: readonly string[]
  readonly streams: Readonly<Record<'stdin' | 'stdout' | 'stderr', Readable | Writable>>
}

/** Makes this process look as if a shell had started it. Returns the function that restores it. */
function enterWorld({ environment, directory, argv, streams }: World): () => void {
  const before = { ...process.env }
  const { argv: ownArgv, exitCode } = process
  const ownDirectory = process.cwd()
  const names = Object.keys(streams) as (keyof typeof streams)[]
  const own = names.map((name) => Object.getOwnPropertyDescriptor(process, name))
  replaceEnvironment(environment)
  process.argv = [...argv]
  process.exitCode = undefined
  process.chdir(directory)
  for (const name of names)
    Object.defineProperty(process, name, { configurable: true, value: streams[name] })
  return () => {
    for (const [index, name] of names.entries())
      Object.defineProperty(process, name, own[index] ?? {})
    process.chdir(ownDirectory)
    process.exitCode = exitCode
    process.argv = ownArgv
    replaceEnvironment(before)
  }
}

function replaceEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
}

function collect(): { readonly stream: Writable; read(): string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, read: () => Buffer.concat(chunks).toString() }
}

/** Starts the built command like a shell. For signals, kills, open pipes and parallel runs. */
export function startPrecis(
  home: string,
  words: readonly string[],
  options?: StartOptions,
): Promise<CommandResult> {
  return startNode(home, [BIN, ...words], options)
}

export function startNode(
  home: string,
  words: readonly string[],
  options: StartOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, {
      cwd: options.directory ?? home,
      env: { PATH: process.env.PATH, HOME: home, ...options.environment },
    })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      })
    })
    // A command that refuses its arguments does not read its input.
    child.stdin.on('error', () => child.stdin.destroy())
    if (!options.keepsInputOpen) child.stdin.end(options.stdin)
    options.onStart?.(child)
  })
}

export function writeFixture(path: string, text: string | Uint8Array): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

export interface ClaudeSessionOptions {
  readonly sessionId: string
  readonly workingDirectory?: string
  readonly firstPrompt?: string
  readonly turns?: number
  /** Lines of the file that the agent reads in each turn. */
  readonly linesPerRead?: number
}

/** A session in which the user asks, the agent reads a file, edits it and answers. */
export function createClaudeSession(options: ClaudeSessionOptions): string {
  const {
    sessionId,
    workingDirectory = '/work/shop',
    firstPrompt = 'Fix the tax in cart.ts',
    turns = 12,
  } = options
  const entries: object[] = []
  let count = 0
  const add = (type: 'user' | 'assistant', message: object) => {
    const uuid = createUuid(count + 1)
    const parentUuid = count === 0 ? null : createUuid(count)
    const timestamp = new Date(Date.UTC(2026, 3, 1) + count * 1000).toISOString()
    count++
    const fixed = {
      isSidechain: false,
      userType: 'external',
      cwd: workingDirectory,
      sessionId,
      version: '2.1.110',
    }
    entries.push({ parentUuid, ...fixed, type, message, uuid, timestamp })
  }
  const answer = (content: object[]) => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1000,
      output_tokens: 50,
    }
    const model = 'claude-opus-4-5-20251101'
    add('assistant', {
      model,
      id: `msg_${count}`,
      type: 'message',
      role: 'assistant',
      content,
      stop_reason: null,
      usage,
    })
  }
  const result = (id: string, content: string) =>
    add('user', { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content }] })
  for (let turn = 0; turn < turns; turn++) {
    const file_path = `${workingDirectory}/src/cart${turn % 3}.ts`
    add('user', {
      role: 'user',
      content: turn === 0 ? firstPrompt : `Now the next one, number ${turn}, please.`,
    })
    answer([{ type: 'tool_use', id: `toolu_r${turn}`, name: 'Read', input: { file_path } }])
    result(`toolu_r${turn}`, createSource(turn, options.linesPerRead ?? 40))
    const input = { file_path, old_string: `price${turn}`, new_string: `price${turn} * 1.2` }
    answer([{ type: 'tool_use', id: `toolu_e${turn}`, name: 'Edit', input }])
    result(`toolu_e${turn}`, `The file ${file_path} has been updated.`)
    answer([{ type: 'text', text: `Done: cart${turn % 3}.ts now adds 20 % to price${turn}.` }])
  }
  return `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`
}

export interface CodexSessionOptions {
  readonly sessionId: string
  readonly workingDirectory?: string
  readonly turns?: number
  /** How many in each turn. */
  readonly calls?: number
}

export function createCodexSession({
  sessionId,
  workingDirectory = '/work/shop',
  turns = 12,
  calls = 1,
}: CodexSessionOptions): string {
  const timestamp = '2026-04-01T10:00:00.000Z'
  const meta = {
    id: sessionId,
    timestamp,
    cwd: workingDirectory,
    originator: 'codex-tui',
    cli_version: '0.125.0',
    source: 'cli',
    model_provider: 'openai',
  }
  const entries: object[] = [
    { timestamp, type: 'session_meta', payload: meta },
    { timestamp, type: 'turn_context', payload: { cwd: workingDirectory, model: 'gpt-5' } },
  ]
  const add = (payload: object) => entries.push({ timestamp, type: 'response_item', payload })
  for (let turn = 0; turn < turns; turn++) {
    const text = `Please look at step ${turn} of the tax.`
    add({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
    entries.push({ timestamp, type: 'event_msg', payload: { type: 'user_message', message: text } })
    const args = JSON.stringify({
      cmd: `sed -n '1,80p' src/cart${turn}.ts`,
      workdir: workingDirectory,
    })
    for (let call = 0; call < calls; call++) {
      const call_id = call === 0 ? `call_${turn}` : `call_${turn}_${call}`
      add({ type: 'function_call', name: 'exec_command', arguments: args, call_id })
      add({ type: 'function_call_output', call_id, output: createSource(turn, 40) })
    }
    add({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: `Step ${turn} is fine.` }],
    })
    const last_token_usage = {
      input_tokens: 5000 + turn,
      cached_input_tokens: 4000,
      output_tokens: 60,
      total_tokens: 5060 + turn,
    }
    const info = { total_token_usage: { total_tokens: (turn + 1) * 5060 }, last_token_usage }
    entries.push({ timestamp, type: 'event_msg', payload: { type: 'token_count', info } })
  }
  return `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`
}

/** UUIDs in order, for entries and sessions. */
export function createUuid(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${number.toString(16).padStart(12, '0')}`
}

function createSource(seed: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, line) =>
      `${line + 1}\texport const price${seed}_${line} = net${line} + shipping(${seed * line}) // round ${line % 7}`,
  ).join('\n')
}
