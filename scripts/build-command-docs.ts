/**
 * Writes what every command takes into its page, `docs/commands/<name>.md` or `lab/README.md`,
 * between the two marks. Run: `npx tsx scripts/build-command-docs.ts`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command, Option } from 'commander'
import { createEvaluateProgram } from '../lab/evaluation/evaluate.ts'
import { commandGroups } from '../packages/precis/src/cli/commands.ts'
import { createProgram } from '../packages/precis/src/cli/program.ts'
import { createTerminal } from '../packages/precis/src/terminal/terminal.ts'
import { type BuiltPage, replaceBlock } from './marked-block.ts'

/** Every command's page as it is and as the code says it has to be. */
export async function buildCommandPages(): Promise<BuiltPage[]> {
  const terminal = createTerminal({ NO_COLOR: '1' })
  const program = await createProgram(terminal, '0.0.0')
  const commands = Object.values(commandGroups)
    .flatMap(Object.keys)
    .map((name) => {
      const command = program.commands.find((candidate) => candidate.name() === name)
      if (!command)
        throw new Error(`Building the page of "${name}": the program has no such command.`)
      return { page: `docs/commands/${name}.md`, command }
    })
  return [...commands, { page: 'lab/README.md', command: createEvaluateProgram(terminal) }].map(
    ({ page, command }) => {
      const path = fileURLToPath(new URL(`../${page}`, import.meta.url))
      const current = readFileSync(path, 'utf8')
      const block = { name: 'options', script: 'scripts/build-command-docs.ts', path }
      return { path, current, built: replaceBlock(current, renderOptions(command), block) }
    },
  )
}

function renderOptions(command: Command): string {
  const help = command.createHelp()
  const words = command.registeredArguments.map((argument) => [
    `\`${argument.required ? `<${argument.name()}>` : `[${argument.name()}]`}\``,
    argument.description,
    '',
  ])
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [`\`${option.flags}\``, option.description, renderDefault(option)])
  if (words.length + options.length === 0) return 'No options.'
  const rows = [['', 'meaning', 'default'], ['---', '---', '---'], ...words, ...options]
  return rows
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

function renderDefault({ defaultValue, defaultValueDescription, argChoices }: Option): string {
  const value =
    defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined)
  const choices = argChoices?.filter((choice) => choice !== value) ?? []
  const others =
    choices.length > 0 ? `; also ${choices.map((choice) => `\`${choice}\``).join(', ')}` : ''
  return value === undefined ? '' : `\`${value}\`${others}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, built } of await buildCommandPages()) writeFileSync(path, built)
}
