/**
 * The contract of everything that is shown: colors, entries of the transcript, and how commands
 * show and ask.
 */

import type { Column, Style, TerminalPort } from '../contract/ports.ts'

export interface ChatEntry {
  readonly kind: 'request' | 'answer' | 'reasoning' | 'tool' | 'notice'
  /** Increases with every change. */
  readonly version: number
  render(columns: number, palette: Palette): readonly string[]
}

export const MARGIN = '  '

export type Tone = 'plain' | 'good' | 'warning' | 'bad'

export interface ChatView {
  readonly palette: Palette
  /** One message, wrapped. The text may be anything. */
  say(text: string, tone?: Tone): void
  /** Shows lines that are rendered for a width. They have to be safe already. */
  show(render: ChatEntry['render']): void
  /** The value of the chosen row. Undefined if none was chosen. */
  choose(choice: Choice): Promise<string | undefined>
  /** The answer if there is no user to ask. */
  confirm(question: YesNo): Promise<boolean>
  /** Runs with a spinner. The user can end it, which aborts the signal. */
  work<Result>(
    label: string,
    run: (signal: AbortSignal, progress: (step: string) => void) => Promise<Result>,
  ): Promise<Result>
}

export interface Choice extends ListChoice {
  /** Shown in a pipe, where no choice is possible. */
  readonly instead: string
}

export interface YesNo {
  readonly title: string
  /** The subject, on one line. */
  readonly what: string
  /** Full sentences. */
  readonly detail: string
  readonly default: boolean
}

export interface ListChoice {
  readonly title: string
  readonly columns: readonly Column[]
  readonly rows: readonly ChoiceRow[]
  /** May fill in more of the rows while they are shown. */
  readonly complete?: (change: (row: ChoiceRow) => void, signal: AbortSignal) => Promise<void>
}

/** Safe for a terminal already. */
export interface ChoiceRow {
  /** The value that is returned. It is unique among the rows. */
  readonly value: string
  readonly cells: readonly string[]
  /** Shown below the list while the row is selected. */
  readonly detail?: string
}

/**
 * The contents of a context window, in the order of the gauge. The letter is used if there are no
 * colors.
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

/** One color for each meaning. If there are no colors, every style returns the text unchanged. */
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
