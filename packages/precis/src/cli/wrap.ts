import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { Argument, type Command } from 'commander'
import { spawn } from 'cross-spawn'
import { agents } from '../agents/index.ts'
import type { Agent } from '../agents/shared/agent.ts'
import type { LaunchPlan } from '../agents/shared/wire.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { explainSystemError, systemErrorCode } from '../files/errors.ts'
import { findStartCommand } from '../files/installed-files.ts'
import { createTemporaryFolder, removeAbandonedFolders } from '../files/temporary-folder.ts'
import type { GatewayFlags } from '../gateway/gateway-options.ts'
import { openGateway } from '../gateway/open-gateway.ts'
import { neutralizeLine } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'
import { parseAgentName } from './options.ts'
import { addGatewayOptions, createPortOption } from './serve.ts'

export function defineWrap(command: Command, terminal: Terminal): void {
  const names = agents.flatMap(({ name, wire }) => (wire ? [name] : []))
  command
    .description(
      'Starts a coding agent whose requests go through precis. Its own compaction is answered immediately, without a model, and its model gets the tool that searches removed text. Nothing is written to the agent’s files, and everything ends with the agent.',
    )
    .addArgument(new Argument('<agent>', names.join(', ')).argParser(parseAgentName))
    .argument('[words...]', 'for the agent, after "--"')
    .addOption(createPortOption('the port of a gateway that may already be running'))
  addGatewayOptions(command)
    .addHelpText('after', WRAP_HELP)
    .action((agent: Agent, words: string[], flags: GatewayFlags) =>
      wrap({ agent, words, flags, version: command.parent?.version() ?? '' }, terminal),
    )
}

export interface WrapRequest {
  readonly agent: Agent
  readonly words: readonly string[]
  readonly flags: GatewayFlags
  readonly version: string
}

async function wrap(
  { agent, words, flags, version }: WrapRequest,
  terminal: Terminal,
): Promise<void> {
  const { title, wire } = agent
  if (!wire)
    throw wrongUsage(`Wrapping ${title}: ${title} needs no wrap: precis install ${agent.name}`)
  const { launch } = wire
  removeAbandonedFolders()
  const notes = new Set<string>()
  const configuration = await readConfigured({ database: flags.database })
  const note = (text: string) => void notes.add(text)
  const gateway = await openGateway({ launch, flags, configuration, version, note })
  const folder = createTemporaryFolder()
  try {
    const { program, words: start } = findStartCommand()
    const database = flags.database === undefined ? [] : ['--database', flags.database]
    const plan = launch.plan({
      gateway: gateway.address,
      environment: process.env,
      server: { program, words: [...start, 'mcp', ...database] },
      directory: process.cwd(),
      folder: folder.path,
    })
    for (const { path, text } of plan.files) writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    terminal.note(`precis: the page of this session: ${gateway.pageUrl}`)
    if (plan.note !== undefined) terminal.note(`precis: ${neutralizeLine(plan.note)}.`)
    process.exitCode = await runAgent({ agent, plan, words })
  } finally {
    folder.remove()
    await gateway.close()
    // Printed only now, because the agent used the screen until its end.
    for (const note of notes) terminal.note(`precis: ${neutralizeLine(note)}`)
  }
  // What still waits for a database that another process holds would wait for minutes.
  process.exit()
}

interface WrappedAgent {
  readonly agent: Agent
  readonly plan: LaunchPlan
  readonly words: readonly string[]
}

/** Returns its exit code. If a signal ended it, the code that a shell would report. */
function runAgent({ agent: { title, wire }, plan, words }: WrappedAgent): Promise<number> {
  const { program = '', install = '' } = wire?.launch ?? {}
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...plan.arguments, ...words], {
      stdio: 'inherit',
      env: { ...process.env, ...plan.environment },
    })
    passSignals((signal) => child.kill(signal))
    child.once('error', (error) => {
      const isMissing = systemErrorCode(error) === 'ENOENT'
      const problem = isMissing
        ? `there is no program of this name. "${install}" installs it`
        : explainSystemError(error)
      reject(
        new Failure(
          'cannot-start',
          exitCodes.failed,
          `Starting ${title} as "${program}": ${problem}.`,
        ),
      )
    })
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)),
    )
  })
}

/** From now on, signals go to the agent. Signals of a terminal reach it anyway. */
function passSignals(pass: (signal: NodeJS.Signals) => void): void {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'] as const) {
    const isOfTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
    // Listeners of other commands would end the process immediately.
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (!isOfTerminal) pass(signal)
    })
  }
}

const WRAP_HELP = `
Examples:
  precis wrap claude
  precis wrap codex -- resume --last
  precis wrap gemini --window 200k -- --model gemini-2.5-pro
  precis wrap opencode --upstream-anthropic http://127.0.0.1:8080

If "precis serve" runs on --port, the agent uses that gateway. Otherwise, or with an option that configures one, a gateway runs for as long as the agent. For every start: "precis install --gateway".

Exit codes: those of the agent; 1 could not be started, 2 wrong usage.
`
