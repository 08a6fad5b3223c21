/** A list to pick from: arrows move, letters narrow it down, Enter takes, Esc leaves. */
import type { Key } from 'node:readline'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { isCancel, Prompt } from '@clack/core'
import { createSlices } from '../files/slices.ts'
import { containsWords, splitWords } from '../sessions/filter-sessions.ts'
import {
  type Colors,
  type Column,
  cutToWidth,
  neutralizeLine,
  type Page,
  renderCount,
  renderTable,
} from './render.ts'

export interface ListChoice<Item extends object> {
  readonly title: string
  readonly columns: readonly (Column | string)[]
  /** In the order of the list. */
  readonly items: readonly Item[]
  /** The text in which typed letters are searched. Asked once for each item. */
  readonly readText: (item: Item) => string
  /** Asked once for each item that is on the screen. */
  readonly describe: (item: Item) => ChoiceRow
  /**
   * More of an item, below its detail. Asked once, when it is selected. Already safe for a
   * terminal, and empty for nothing.
   */
  readonly preview?: (item: Item) => string
  /** A search for words in an item's content. Undefined if they are too short. */
  readonly search?: (words: readonly string[]) => ContentSearch<Item> | undefined
  /** The line that takes the place of the list. */
  readonly renderPicked: (row: ChoiceRow) => string
}

/**
 * Returns the preview of an item that contains the words, safe for a terminal. Undefined for other
 * items, and after it was ended.
 */
export type ContentSearch<Item> = (item: Item, signal: AbortSignal) => Promise<string | undefined>

/** Safe for a terminal already. */
export interface ChoiceRow {
  readonly cells: readonly string[]
  /** Shown below the list while the row is selected. */
  readonly detail: string
}

// Lines of the frame: its rules, title, heading, detail and keys.
const FRAME_ROWS = 11
const MIN_SHOWN = 3
const MAX_SHOWN = 15
const MAX_DETAIL_ROWS = 3
// Two lines, if the terminal has space for them.
const PREVIEW_ROWS = 4
const MAX_PREVIEW_ROWS = 2
const MARGIN = '  '
const SHOW_CURSOR = '\u001b[?25h'

/**
 * Lets the user pick an item, drawn below the cursor on standard error, and takes the list away
 * again. Undefined when nothing was picked: Esc, Ctrl+C, Ctrl+D, or a terminal that is gone. At
 * every end the terminal is as it was.
 */
export async function pick<Item extends object>(
  choice: ListChoice<Item>,
  colors: Colors,
): Promise<Item | undefined> {
  const { stdin: input, stderr: output } = process
  const gone = new AbortController()
  let failure: unknown
  const finder = createFinder(choice, {
    redraw() {
      if (gone.signal.aborted) return
      select(prompt.value === undefined ? 0 : finder.found.indexOf(prompt.value))
      // A resize of its output makes the prompt draw itself again.
      output.emit('resize')
    },
    fail(error) {
      failure = error
      gone.abort()
    },
  })
  const { describe } = finder
  let selected = 0
  const countRoom = () => (output.rows || 24) - FRAME_ROWS
  const hasPreview = () => choice.preview !== undefined && countRoom() >= PREVIEW_ROWS + MIN_SHOWN
  const countShown = () =>
    Math.min(Math.max(countRoom() - (hasPreview() ? PREVIEW_ROWS : 0), MIN_SHOWN), MAX_SHOWN)
  const select = (index: number) => {
    selected = Math.max(Math.min(index, finder.found.length - 1), 0)
    prompt.value = finder.found[selected]
  }
  const prompt = new Prompt<Item>({
    input,
    output,
    signal: gone.signal,
    validate: () => (finder.found.length === 0 ? 'nothing matches' : undefined),
    render() {
      const { found } = finder
      const picked = this.state === 'submit' ? found[selected] : undefined
      if (picked !== undefined) return colors.dim(choice.renderPicked(describe(picked)))
      if (this.state === 'cancel') return ''
      const most = countShown()
      const start = Math.max(0, Math.min(selected - Math.floor(most / 2), found.length - most))
      const rows = found.slice(start, start + most).map(describe)
      const position =
        found.length > most ? ` · ${renderCount(selected + 1)} of ${renderCount(found.length)}` : ''
      const page = { columns: output.columns || 80, colors }
      const current = found[selected]
      const below = current
        ? [
            ...cutLines(describe(current).detail, page.columns * MAX_DETAIL_ROWS),
            ...cutLines(
              hasPreview() ? finder.preview(current) : '',
              page.columns * MAX_PREVIEW_ROWS,
            ),
          ]
        : []
      const keys = finder.renderState(page.columns - MARGIN.length - position.length) + position
      const isEmpty = found.length === 0 && !finder.isSearching()
      return renderList(
        choice,
        { rows, isEmpty, selected: selected - start, below, keys },
        page,
      ).join('\n')
    },
  })
  const moves: Readonly<Record<string, () => number>> = {
    up: () => selected - 1,
    down: () => selected + 1,
    tab: () => selected + 1,
    pageup: () => selected - countShown(),
    pagedown: () => selected + countShown(),
    home: () => 0,
    end: () => finder.found.length - 1,
  }
  prompt.on('userInput', (typed) => {
    if (finder.filter(typed)) select(0)
  })
  prompt.on('key', (_, key: Key) => {
    if (key.ctrl && key.name === 'd') prompt.state = 'cancel'
    const move = moves[key.name ?? '']
    if (move) select(move())
  })
  select(0)
  const leave = () => gone.abort()
  const restore = () => void output.write(SHOW_CURSOR)
  input.once('end', leave).once('error', leave)
  process.on('exit', restore)
  try {
    const picked = await prompt.prompt()
    if (failure !== undefined) throw failure
    return isCancel(picked) ? undefined : picked
  } finally {
    gone.abort()
    finder.end()
    input.off('end', leave).off('error', leave)
    process.off('exit', restore)
  }
}

// Shorter than the time in which a user reads, longer than that between two keys of a word.
const PAUSE_MS = 150
const MOST_BY_CONTENT = 100
const SHOW_MS = 80

/**
 * Items that match the typed letters. Items whose row matches come immediately, and after a pause,
 * items whose content matches.
 *
 *   found:  rows that match, in the order of the list │ hits in what others hold, in the same order
 *
 * `redraw` is called when there is more to see.
 */
function createFinder<Item extends object>(
  choice: ListChoice<Item>,
  events: { readonly redraw: () => void; readonly fail: (error: unknown) => void },
) {
  const { items, preview = () => '' } = choice
  const describe = askOnce(choice.describe)
  const readPreview = askOnce(preview)
  /** In small letters. */
  const texts = new Map<Item, string>()
  const byRow = new Set<Item>()
  const byContent = new Map<Item, string>()
  /** Searched items without the typed text. They will not contain a longer text either. */
  const misses = new Set<Item>()
  let found: readonly Item[] = items
  let typed = ''
  let words: readonly string[] = []
  let search = new AbortController()
  let searchedShare: number | undefined
  let shown = 0
  let isOver = false
  const show = (isWhole: boolean) => {
    if (!isWhole && performance.now() < shown + SHOW_MS) return
    shown = performance.now()
    if (words.length > 0) found = [...items.filter((item) => byRow.has(item)), ...byContent.keys()]
    events.redraw()
  }
  const searchContent = async ({ signal }: AbortController) => {
    const find = choice.search?.(words)
    if (!find) return
    searchedShare = 0
    await setTimeout(PAUSE_MS)
    await allRead
    const breathe = createSlices()
    for (const [index, item] of items.entries()) {
      await breathe()
      if (signal.aborted || byContent.size >= MOST_BY_CONTENT) break
      if (byRow.has(item) || misses.has(item)) continue
      const hit = await find(item, signal)
      if (signal.aborted) return
      if (hit === undefined) misses.add(item)
      else byContent.set(item, hit)
      searchedShare = index / items.length
      show(false)
    }
    if (signal.aborted) return
    searchedShare = undefined
    show(true)
  }
  /** In small steps, so that keys are handled in between. */
  const readAll = async () => {
    const breathe = createSlices()
    await setImmediate()
    for (const item of items) {
      if (isOver) return
      const text = choice.readText(item).toLowerCase()
      texts.set(item, text)
      if (words.length > 0 && containsWords(text, words)) byRow.add(item)
      if (words.length > 0) show(false)
      await breathe()
    }
    if (words.length > 0) show(true)
  }
  const allRead = readAll()
  allRead.catch(events.fail)
  return {
    get found() {
      return found
    },
    describe,
    preview: (item: Item) => byContent.get(item) ?? readPreview(item),
    isSearching: () =>
      searchedShare !== undefined || (words.length > 0 && texts.size < items.length),
    /** False if it is the same as before. */
    filter(text: string): boolean {
      if (text === typed) return false
      search.abort()
      search = new AbortController()
      searchedShare = undefined
      if (typed === '' || !text.startsWith(typed)) misses.clear()
      typed = text
      words = splitWords(text)
      byRow.clear()
      byContent.clear()
      for (const [item, read] of texts)
        if (words.length > 0 && containsWords(read, words)) byRow.add(item)
      found = words.length === 0 ? items : items.filter((item) => byRow.has(item))
      searchContent(search).catch(events.fail)
      return true
    },
    /** The last line, as far as it fits. */
    renderState(columns: number): string {
      if (typed === '') return '↑↓ Enter · Esc leaves · type to filter'
      const count = byContent.size
      const more = count < MOST_BY_CONTENT ? '' : ', no more'
      const states = [
        ...(count > 0 ? [`${count} in the text${more}`] : []),
        ...(searchedShare === undefined ? [] : [`searching ${Math.floor(searchedShare * 100)} %`]),
      ].map((state) => ` · ${state}`)
      const text = neutralizeLine(typed)
      return cutToWidth(`filter: ${text}`, columns - states.join('').length) + states.join('')
    },
    end() {
      isOver = true
      search.abort()
    },
  }
}

function askOnce<Item extends object, Answer>(ask: (item: Item) => Answer): (item: Item) => Answer {
  const answers = new Map<Item, Answer>()
  return (item) => {
    const answer = answers.get(item) ?? ask(item)
    answers.set(item, answer)
    return answer
  }
}

function cutLines(text: string, columns: number): string[] {
  return text === '' ? [] : text.split('\n').map((line) => cutToWidth(MARGIN + line, columns))
}

interface ShownList {
  /** They match the filter and have a place on the screen. */
  readonly rows: readonly ChoiceRow[]
  /** There is no result, and there will be none. */
  readonly isEmpty: boolean
  /** Index of one of the items. */
  readonly selected: number
  /** Lines about the selected one. */
  readonly below: readonly string[]
  readonly keys: string
}

function renderList(
  choice: Pick<ListChoice<object>, 'title' | 'columns'>,
  { rows, isEmpty, selected, below, keys }: ShownList,
  page: Page,
): string[] {
  const { columns, colors } = page
  const cells = rows.map((row) => row.cells)
  const [heading = '', ...lines] = renderTable(choice.columns, cells, page).split('\n')
  const rule = colors.dim('─'.repeat(columns))
  return [
    rule,
    `${colors.cyan('?')} ${cutToWidth(choice.title, columns - 2)}`,
    heading,
    ...(rows.length === 0
      ? [colors.dim(`${MARGIN}${isEmpty ? 'nothing matches' : 'nothing yet'}`)]
      : []),
    ...lines.map((line, index) =>
      index === selected
        ? `${colors.bold(colors.green('›'))} ${colors.bold(line.slice(MARGIN.length))}`
        : line,
    ),
    ...below,
    colors.dim(cutToWidth(MARGIN + keys, columns)),
    rule,
  ]
}
