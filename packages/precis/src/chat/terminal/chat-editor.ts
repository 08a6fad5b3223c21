import {
  type AutocompleteProvider,
  CombinedAutocompleteProvider,
  Editor,
  type EditorTheme,
  type TUI,
} from '@mariozechner/pi-tui'
import { fit } from '../../terminal/fit.ts'
import { neutralizeLine } from '../../terminal/terminal-text.ts'
import { type SlashCommand, slashCommands } from './commands/index.ts'
import type { Palette } from './palette.ts'

const PADDING = 2
const BORDER = '─'

/** The library's editor with a prompt, and with completion of commands, of model names and of paths. */
export class ChatEditor extends Editor {
  readonly #palette: Palette
  constructor(tui: TUI, palette: Palette) {
    super(tui, toEditorTheme(palette), { paddingX: PADDING, autocompleteMaxVisible: 7 })
    this.#palette = palette
  }

  override render(columns: number): string[] {
    const lines = super.render(columns).map((line) => this.#thin(line))
    const [border = '', first = '', ...rest] = lines
    const prompted = first.startsWith('  ') ? `${this.#palette.prompt('›')} ${first.slice(PADDING)}` : first
    return [border, prompted, ...rest].map((line) => fit(line, columns))
  }

  /** A border is styled once, not for each of its columns. */
  #thin(line: string): string {
    const part = this.borderColor(BORDER)
    const count = line.split(part).length - 1
    return count > 1 && line === part.repeat(count) ? this.borderColor(BORDER.repeat(count)) : line
  }
}

function toEditorTheme({ quiet, strong, accent }: Palette): EditorTheme {
  return {
    borderColor: quiet,
    selectList: {
      selectedPrefix: accent,
      selectedText: (text) => accent(strong(text)),
      description: quiet,
      scrollInfo: quiet,
      noMatch: quiet,
    },
  }
}

/** Completions at the cursor. `listArguments` is asked when the argument of a command is completed. */
export function createCompletion(
  workingDirectory: string,
  listArguments: (command: SlashCommand) => readonly string[],
): AutocompleteProvider {
  const commands = slashCommands.map((command) => ({
    name: command.name,
    description: command.summary,
    ...(command.hint && { argumentHint: command.hint }),
    ...(command.listArguments && {
      getArgumentCompletions: (prefix: string) =>
        // What is there in full is not offered: Enter takes it.
        listArguments(command)
          .filter((value) => value.includes(prefix) && value !== prefix)
          .map((value) => ({ value, label: value })),
    }),
  }))
  const provider = new CombinedAutocompleteProvider(commands, workingDirectory)
  return {
    async getSuggestions(lines, cursorLine, cursorColumn, request) {
      const found = await provider.getSuggestions(lines, cursorLine, cursorColumn, request)
      if (!found) return null
      // A file may have any name; one that acts on the terminal is not offered.
      const safe = found.items.filter(({ value, label }) => neutralizeLine(value + label) === value + label)
      const word = (lines[cursorLine] ?? '').slice(0, cursorColumn).replace(/^\//, '').toLowerCase()
      // Enter takes what is offered: not a longer name where a name, or another name of a command, is there in full.
      const items = isCommandName(found.prefix, word) ? safe.filter(({ value }) => value === word) : safe
      return items.length > 0 ? { ...found, items } : null
    },
    applyCompletion: (...given) => provider.applyCompletion(...given),
    shouldTriggerFileCompletion: (...given) => provider.shouldTriggerFileCompletion(...given),
  }
}

function isCommandName(prefix: string, word: string): boolean {
  return prefix.startsWith('/') && slashCommands.some(({ name, aliases }) => name === word || aliases?.includes(word))
}
