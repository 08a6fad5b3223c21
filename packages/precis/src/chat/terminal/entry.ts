/** What stands in the transcript: each entry renders itself for a width, with two columns for its mark. */

import { type Span, wrapSpans } from '../../terminal/spans.ts'
import { neutralizeText, renderPreview } from '../../terminal/terminal-text.ts'
import { createStreamingMarkdown } from './markdown/streaming-markdown.ts'
import type { Palette } from './palette.ts'
import { renderToolRun, type ToolRun } from './tool-run.ts'

export interface Entry {
  readonly kind: 'request' | 'answer' | 'reasoning' | 'tool' | 'notice'
  /** Grows with every change. */
  readonly version: number
  render(columns: number, palette: Palette): readonly string[]
}

export const MARGIN = '  '
const MAX_REQUEST_LINES = 30

export function createRequestEntry(text: string): Entry {
  const lines = neutralizeText(text.replaceAll('\t', '  ')).split('\n')
  const shown = lines.slice(0, MAX_REQUEST_LINES)
  const more = lines.length - shown.length
  return {
    kind: 'request',
    version: 0,
    render: (columns, palette) => [
      ...wrapSpans([{ text: shown.join('\n'), style: palette.strong }], columns, {
        first: `${palette.prompt('›')} `,
        rest: MARGIN,
      }),
      ...(more > 0 ? [palette.quiet(`${MARGIN}… ${more} more lines`)] : []),
    ],
  }
}

export interface AnswerEntry extends Entry {
  append(delta: string): void
  /** Takes back all that was appended. */
  clear(): void
}

export function createAnswerEntry(initial = ''): AnswerEntry {
  let markdown = createStreamingMarkdown(initial)
  let version = 0
  return {
    kind: 'answer',
    get version() {
      return version
    },
    append(delta) {
      markdown.append(delta)
      version++
    },
    clear() {
      markdown = createStreamingMarkdown()
      version++
    },
    render: (columns, { colors }) =>
      markdown.render(columns - MARGIN.length, colors).map((line) => (line === '' ? '' : MARGIN + line)),
  }
}

const MAX_REASONING = 2000

/** One line: that there was reasoning, and how it begins. */
export function createReasoningEntry(): AnswerEntry {
  let beginning = ''
  let version = 0
  return {
    kind: 'reasoning',
    get version() {
      return version
    },
    append(delta) {
      if (beginning.length >= MAX_REASONING) return
      beginning += delta
      version++
    },
    clear() {
      beginning = ''
      version++
    },
    render: (columns, { colors, quiet }) => {
      const text = renderPreview(beginning.replaceAll('**', ''), columns - 4)
      return text === '' ? [] : [`${quiet('✻')} ${quiet(colors.italic(text))}`]
    },
  }
}

export interface ToolEntry extends Entry {
  change(change: Partial<ToolRun>): void
}

export function createToolEntry(initial: ToolRun): ToolEntry {
  let run = initial
  let version = 0
  return {
    kind: 'tool',
    get version() {
      return version
    },
    change(change) {
      run = { ...run, ...change }
      version++
    },
    render: (columns, palette) => renderToolRun(run, columns - MARGIN.length, palette).map((line) => MARGIN + line),
  }
}

/** Anything that precis itself says. What it renders has to be safe already. */
export function createNoticeEntry(render: Entry['render']): Entry {
  return { kind: 'notice', version: 0, render }
}

export function createNotice(mark: string, spans: readonly Span[]): Entry {
  return createNoticeEntry((columns) => wrapSpans(spans, columns, { first: `${mark} `, rest: MARGIN }))
}
