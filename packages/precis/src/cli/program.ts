import { Command, Help } from 'commander'
import { wrapText } from '../terminal/render.ts'
import { fitLines, type Terminal } from '../terminal/terminal.ts'
import { commandGroups, HIDDEN, renamed, type Successor } from './commands.ts'

const COMPLETE = 'complete'

/** Of the help in a pipe, as commander breaks it. */
const HELP_COLUMNS = 80

/** The command that runs if none is named, even with options. */
const ALONE = 'overview'

/**
 * `wanted` is the first word of the command line, or empty. If undefined, every command is loaded.
 */
export async function createProgram(
  terminal: Terminal,
  version: string,
  wanted?: string,
): Promise<Command> {
  const { colors } = terminal
  const { [HIDDEN]: _, ...shown } = commandGroups
  const listed = new Set(Object.values(shown).flatMap(Object.keys))
  const program = new Command('precis')
    .description('Keeps long conversations with coding agents inside the context window.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [options]')
    .exitOverride()
    .configureOutput({
      outputError: () => {},
      writeOut: (text) =>
        void process.stdout.write(
          fitLines(text, { columns: process.stdout.columns || HELP_COLUMNS }),
        ),
    })
    .configureHelp({
      styleTitle: (title) => colors.bold(title),
      visibleCommands: ({ commands, parent }) =>
        parent ? [...commands] : commands.filter((command) => listed.has(command.name())),
      showGlobalOptions: false,
      // The same list, whether one command was loaded or all.
      subcommandTerm: (command) => command.name(),
      formatItem,
    })
    .addHelpText('after', PROGRAM_HELP)
  const isAlone = wanted !== undefined && /^(?:-|$)/.test(wanted)
  const loadsAll = wanted === undefined || wanted === COMPLETE || wanted === 'help'
  for (const [heading, commands] of Object.entries(commandGroups)) {
    program.commandsGroup(`${heading}:`)
    for (const [name, { summary, load }] of Object.entries(commands)) {
      const isDefault = isAlone && name === ALONE
      const command = program
        .command(name, { isDefault })
        .summary(summary)
        .allowExcessArguments(false)
      if (loadsAll || isDefault || wanted === name) (await load())(command, terminal)
    }
  }
  const successor = Object.hasOwn(renamed, wanted ?? '') ? renamed[wanted ?? ''] : undefined
  if (wanted !== undefined && successor) await addRenamed(program, terminal, wanted, successor)
  if (wanted === COMPLETE) (await import('./complete.ts')).defineComplete(program)
  else
    program
      .command(`${COMPLETE} <shell>`)
      .summary('print completion for bash, zsh, fish or powershell')
  return program
}

const BELOW_ITS_NAME = ' '.repeat(6)

/** Where a column of descriptions would be too narrow, each stands below its name. */
function formatItem(term: string, termColumns: number, description: string, helper: Help): string {
  const { helpWidth: columns = 80, minWidthToWrap } = helper
  const left = columns - termColumns - BELOW_ITS_NAME.length
  if (!description || left >= minWidthToWrap)
    return Help.prototype.formatItem.call(helper, term, termColumns, description, helper)
  return `  ${term}\n${wrapText(description, columns, BELOW_ITS_NAME)}`
}

async function addRenamed(
  program: Command,
  terminal: Terminal,
  old: string,
  { name, option }: Successor,
): Promise<void> {
  const file = Object.values(commandGroups).find((commands) => Object.hasOwn(commands, name))?.[
    name
  ]
  const command = program.command(old).allowExcessArguments(false)
  const define = await file?.load()
  define?.(command, terminal)
  command.hook('preAction', (_, called) => {
    const words = option === undefined ? name : `${name} --${option}`
    terminal.note(
      `precis: "precis ${old}" is "precis ${words}" now. The old name will be removed in the next version.`,
    )
    if (option !== undefined) called.setOptionValue(option, true)
  })
}

const PROGRAM_HELP = `
Start here:
  precis                               what is there, and what compactions have cost you
  precis sessions                      one line for each session
  precis inspect 3f2a                  where its tokens are (any unique beginning of an id)
  precis compress 3f2a --budget 40%    a new, smaller session, and how to resume it

"precis help <command>" prints the options of a command, and "precis complete <shell>" the completion for a shell.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cannot fit the budget, 4 input unreadable or invalid, 130 interrupted.
`
