import { CombinedAutocompleteProvider, Editor, matchesKey, type TUI } from '@mariozechner/pi-tui'
import { neutralizeLine } from '@precis/core/text'
import { type SlashCommand, slashCommands } from '../commands/index.ts'
import type { Palette } from '../rendering/chat-view.ts'
import { fit } from '../rendering/wrap.ts'

const PADDING = 2
const BORDER = '─'
const ESCAPE = '\u001b'
const ARGUMENT = /^\/\S+\s/
const CHOOSING_KEYS = ['up', 'down', 'pageUp', 'pageDown', 'tab'] as const

/** The library's editor with a prompt, and with completion of commands, model names and paths. */
export class ChatEditor extends Editor {
  readonly #palette: Palette
  #hasChosen = false

  constructor(tui: TUI, palette: Palette) {
    const { quiet, strong, accent } = palette
    const selectedText = (text: string) => accent(strong(text))
    const selectList = {
      selectedPrefix: accent,
      selectedText,
      description: quiet,
      scrollInfo: quiet,
      noMatch: quiet,
    }
    super(tui, { borderColor: quiet, selectList }, { paddingX: PADDING, autocompleteMaxVisible: 7 })
    this.#palette = palette
  }

  override handleInput(data: string): void {
    // The library would take the first completion that is offered. The name of a model may be
    // complete though a longer one exists, and the catalogue does not know all names.
    const isTyped = matchesKey(data, 'enter') && !this.#hasChosen && ARGUMENT.test(this.getText())
    if (isTyped && this.isShowingAutocomplete()) super.handleInput(ESCAPE)
    this.#hasChosen = CHOOSING_KEYS.some((key) => matchesKey(data, key))
    super.handleInput(data)
  }

  override render(columns: number): string[] {
    const lines = super.render(columns).map((line) => this.#thin(line))
    const [border = '', first = '', ...rest] = lines
    const prompted = first.startsWith('  ')
      ? `${this.#palette.prompt('›')} ${first.slice(PADDING)}`
      : first
    return [border, prompted, ...rest].map((line) => fit(line, columns))
  }

  /** Styles a border once, not column by column. */
  #thin(line: string): string {
    const part = this.borderColor(BORDER)
    const count = line.split(part).length - 1
    return count > 1 && line === part.repeat(count) ? this.borderColor(BORDER.repeat(count)) : line
  }
}

/** Completions at the cursor. `listArguments` is called to complete the argument of a command. */
export class Completion extends CombinedAutocompleteProvider {
  constructor(
    workingDirectory: string,
    listArguments: (command: SlashCommand) => readonly string[],
  ) {
    const commands = slashCommands.map((command) => ({
      name: command.name,
      description: command.summary,
      ...(command.hint && { argumentHint: command.hint }),
      ...(command.listArguments && {
        getArgumentCompletions: (prefix: string) => {
          const values = listArguments(command)
          return values
            .filter((value) => value.includes(prefix) && value !== prefix)
            .map((value) => ({ value, label: value }))
        },
      }),
    }))
    super(commands, workingDirectory)
  }

  override async getSuggestions(
    ...given: Parameters<CombinedAutocompleteProvider['getSuggestions']>
  ) {
    const [lines, cursorLine, cursorColumn] = given
    const found = await super.getSuggestions(...given)
    if (!found) return null
    // A file may have any name. Names that act on the terminal are not offered.
    const safe = found.items.filter(
      ({ value, label }) => neutralizeLine(value + label) === value + label,
    )
    const word = (lines[cursorLine] ?? '').slice(0, cursorColumn).replace(/^\//, '').toLowerCase()
    // Enter accepts the offered completion. A complete name or alias of a command must stay, even
    // if a longer name exists.
    const items = isCommandName(found.prefix, word)
      ? safe.filter(({ value }) => value === word)
      : safe
    return items.length > 0 ? { ...found, items } : null
  }
}

function isCommandName(prefix: string, word: string): boolean {
  return (
    prefix.startsWith('/') &&
    slashCommands.some(({ name, aliases }) => name === word || aliases?.includes(word))
  )
}

const PASTE = '\u001b[200~'
const PASTE_END = '\u001b[201~'
// Control characters and direction marks are useless in an editor, and would be sent unseen.
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\u{e0000}-\u{e007f}]/gu
const KEPT = ['\n', '\r', '\t']

/** Any other key is returned unchanged. */
export function cleanPaste(data: string): string {
  if (!data.startsWith(PASTE)) return data
  const text = data.slice(PASTE.length, data.endsWith(PASTE_END) ? -PASTE_END.length : undefined)
  return PASTE + text.replace(UNSEEN, (found) => (KEPT.includes(found) ? found : '')) + PASTE_END
}
