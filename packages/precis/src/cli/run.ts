import { type Command, CommanderError } from 'commander'
import { removeAbandonedFiles } from '../files/temporary-file.ts'
import { removeUnfinished } from '../files/write-file.ts'
import { neutralizeText } from '../terminal/render.ts'
import { createTerminal, endOnClosedPipe, type Terminal } from '../terminal/terminal.ts'
import { sought } from './commands.ts'
import { asFailure, exitCodes, Failure } from './failure.ts'

/** Creates the program that parses a command line. */
export type CreateProgram = (terminal: Terminal) => Command | Promise<Command>

/** Runs one command line as the whole process. Ends on signals and on closed pipes. */
export async function runProcess(words: readonly string[], create: CreateProgram): Promise<void> {
  const terminal = createTerminal()
  endOnClosedPipe((error) => {
    removeUnfinished()
    terminal.note(`precis: ${error.message}`)
    process.exit(exitCodes.failed)
  })
  endOnSignal(terminal)
  await run(words, create, terminal)
}

/** Runs one command line and sets its exit code in `process.exitCode`. */
export async function run(
  words: readonly string[],
  create: CreateProgram,
  terminal: Terminal = createTerminal(),
): Promise<void> {
  removeAbandonedFiles()
  let program: Command | undefined
  try {
    program = await create(terminal)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    removeUnfinished()
    terminal.progress.clear()
    if (error instanceof CommanderError && error.exitCode === 0) return
    const failure = asFailure(error) ?? asWrongUsage(error, words, program) ?? asBug(error)
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

function asWrongUsage(
  error: unknown,
  words: readonly string[],
  program: Command | undefined,
): Failure | undefined {
  if (!(error instanceof CommanderError) || !program) return undefined
  const command = program.commands.some((known) => known.name() === words[0]) ? ` ${words[0]}` : ''
  const [first = ''] = words
  const meant = Object.hasOwn(sought, first) ? sought[first] : undefined
  if (error.code === 'commander.unknownCommand' && meant !== undefined) {
    const message = `There is no "precis ${first}". Use "precis ${meant}".`
    return new Failure('wrong-usage', exitCodes.wrongUsage, message)
  }
  const said = error.message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(
      /^command-argument value ('.*') is invalid for argument '\w+'/,
      'argument $1 is invalid',
    )
  const wanted = command === '' ? 'the commands' : 'its arguments'
  const message = `${said}${said.endsWith('.') ? '' : '.'}\nRun "${program.name()}${command} --help" for ${wanted}.`
  return new Failure('wrong-usage', exitCodes.wrongUsage, message)
}

function asBug(error: unknown): Failure {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const message = `an error that should not happen. Please report it.\n${stack}`
  return new Failure('unexpected', exitCodes.failed, message)
}
