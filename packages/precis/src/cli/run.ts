import { CommanderError } from 'commander'
import { removeUnfinished } from '../sessions/write-file.ts'
import { removeAbandonedFiles } from '../temporary-file.ts'
import { createTerminal, endOnClosedPipe, type Terminal } from '../terminal/terminal.ts'
import { neutralizeText } from '../terminal/terminal-text.ts'
import { exitCodes } from './exit-codes.ts'
import { asFailure, Failure } from './failure.ts'
import { createProgram } from './program.ts'

/** Runs one command line as the process that it is: ends on signals and where nobody reads on. */
export async function runProcess(words: readonly string[], version: string): Promise<void> {
  const terminal = createTerminal()
  endOnClosedPipe()
  endOnSignal(terminal)
  await run(words, version, terminal)
}

/** Runs one command line and leaves its exit code in `process.exitCode`. */
export async function run(
  words: readonly string[],
  version: string,
  terminal: Terminal = createTerminal(),
): Promise<void> {
  removeAbandonedFiles()
  try {
    const program = await createProgram(terminal, version, words[0])
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    removeUnfinished()
    terminal.progress.clear()
    if (error instanceof CommanderError && error.exitCode === 0) return
    const failure = asFailure(error) ?? asWrongUsage(error, words) ?? asBug(error)
    terminal.note(neutralizeText(`precis: ${failure.message}`))
    if (words.includes('--json')) {
      const { code, message, detail } = failure
      terminal.printJson({ error: { code, message, ...detail } })
    }
    process.exitCode = failure.exitCode
  }
}

const SIGNALS = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const

function endOnSignal(terminal: Terminal): void {
  for (const [signal, exitCode] of Object.entries(SIGNALS)) {
    process.on(signal, () => {
      removeUnfinished()
      terminal.note('precis: interrupted.')
      process.exit(exitCode)
    })
  }
}

function asWrongUsage(error: unknown, words: readonly string[]): Failure | undefined {
  if (!(error instanceof CommanderError)) return undefined
  const command =
    words[0] && !words[0].startsWith('-') && error.code !== 'commander.unknownCommand' ? ` ${words[0]}` : ''
  const said = error.message.replace(/^error: /, '')
  const message = `${said}${said.endsWith('.') ? '' : '.'}\nRun "precis${command} --help" for what it takes.`
  return new Failure('wrong-usage', exitCodes.wrongUsage, message)
}

function asBug(error: unknown): Failure {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const message = `an error that should not happen; please report it. No file was changed.\n${stack}`
  return new Failure('unexpected', exitCodes.failed, message)
}
