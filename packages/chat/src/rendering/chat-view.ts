/**
 * The contract of everything that is shown: colours, entries of the transcript, and how commands
 * show and ask.
 */

import type { Column, Style, TerminalPort } from '../contract/ports.ts'

export interface ChatEntry {
  readonly kind: 'request' | 'answer' | 'reasoning' | 'tool' | 'notice'
  /** Grows with every change. */
  readonly version: number
  render(columns: number, palette: Palette): readonly string[]
}

export const MARGIN = '  '

export type Tone = 'plain' | 'good' | 'warning' | 'bad'

export interface ChatView {
  readonly palette: Palette
  /** One message, wrapped; the text may be anything. */
  say(text: string, tone?: Tone): void
  /** Shows lines that are rendered for a width; they have to be safe already. */
  show(render: ChatEntry['render']): void
  /** The value of the row that was picked; undefined when none was. */
  choose(choice: Choice): Promise<string | undefined>
  /** The answer when no one can be asked. */
  confirm(question: YesNo): Promise<boolean>
  /** Runs with a spinner; the user can end it, which aborts the signal. */
  work<Result>(
    label: string,
    run: (signal: AbortSignal, progress: (step: string) => void) => Promise<Result>,
  ): Promise<Result>
}

export interface Choice extends ListChoice {
  /** Shown in a pipe, where nothing can be picked. */
  readonly instead: string
}

export interface YesNo {
  readonly title: string
  /** What it is about, on one line. */
  readonly what: string
  /** Sentences. */
  readonly detail: string
  readonly default: boolean
}

export interface ListChoice {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly ChoiceRow[]
  /** May complete rows while they are shown. */
  readonly complete?: (change: (row: ChoiceRow) => void, signal: AbortSignal) => Promise<void>
}

/** Safe for a terminal already. */
export interface ChoiceRow {
  /** Of the result; no two rows have the same. */
  readonly value: string
  readonly cells: readonly string[]
  /** Below the list while the row is selected. */
  readonly detail?: string
}

/**
 * The contents of a context window, in the order in which the gauge shows them. The letter is for
 * where there are no colours.
 */
export const CONTENT_KINDS = [
  { kind: 'system', name: 'system', shortName: 'system', letter: 's' },
  { kind: 'summary', name: 'summary', shortName: 'summary', letter: 'm' },
  { kind: 'requests', name: 'requests', shortName: 'you', letter: 'q' },
  { kind: 'answers', name: 'answers', shortName: 'answers', letter: 'a' },
  { kind: 'reasoning', name: 'reasoning', shortName: 'thoughts', letter: 'r' },
  { kind: 'tools', name: 'tool results', shortName: 'tools', letter: 't' },
] as const

export type ContentKind = (typeof CONTENT_KINDS)[number]['kind']

type Drawing = Pick<
  TerminalPort,
  'colors' | 'cut' | 'preview' | 'shortenHome' | 'table' | 'reports'
>

/** One colour for each meaning; without colours every style leaves text as it is. */
export interface Palette extends Drawing {
  readonly hasColors: boolean
  readonly kinds: Readonly<Record<ContentKind, Style>>
  readonly prompt: Style
  readonly quiet: Style
  readonly strong: Style
  readonly good: Style
  readonly bad: Style
  readonly warning: Style
  readonly accent: Style
}

export function createPalette({
  colors,
  cut,
  preview,
  shortenHome,
  table,
  reports,
}: Drawing): Palette {
  const { blue, bold, cyan, dim, green, magenta, red, white, yellow } = colors
  return {
    colors,
    cut,
    preview,
    shortenHome,
    table,
    reports,
    hasColors: colors.isColorSupported,
    kinds: {
      system: blue,
      requests: green,
      answers: cyan,
      reasoning: magenta,
      tools: yellow,
      summary: white,
    },
    prompt: (text) => bold(green(text)),
    quiet: dim,
    strong: bold,
    good: green,
    bad: red,
    warning: yellow,
    accent: cyan,
  }
}
