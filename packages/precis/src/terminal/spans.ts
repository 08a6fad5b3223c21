/** Styled text before it is lines: a style never sees where a line ends. */
import stringWidth from 'string-width'

export interface Span {
  readonly text: string
  readonly style?: Style
}

export type Style = (text: string) => string

/** What stands before the first line and before those that follow, styles included. */
export interface Indent {
  readonly first?: string
  readonly rest?: string
}

/** A space at which no line breaks; it comes out as any other. */
export const JOINING_SPACE = '\u00a0'

const ASCII = /^[\x20-\x7e]*$/
// A line feed, spaces at which a line may break, or a word: a space that joins is part of one.
const PIECES = /\n|[^\S\n\u00a0]+|[\S\u00a0]+/g
const segmenter = new Intl.Segmenter()
const CHUNK_LENGTH = 256

/** Columns of plain text on a terminal. */
export function measureWidth(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text)
}

/** What a person sees as characters. Segmenting takes time with the square of a length, so it is done chunk by chunk. */
function* splitGraphemes(text: string): Generator<string> {
  if (ASCII.test(text)) {
    yield* text
    return
  }
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + CHUNK_LENGTH, text.length)
    const last = text.charCodeAt(end - 1)
    // No pair is torn apart.
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--
    for (const { segment } of segmenter.segment(text.slice(start, end))) yield segment
    start = end
  }
}

/** Breaks at spaces, and inside a word only when it is wider than a line. Line feeds stay. */
export function wrapSpans(
  spans: readonly Span[],
  columns: number,
  { first = '', rest = first }: Indent = {},
): string[] {
  const lines: string[] = []
  let line = first
  let room = Math.max(columns - stringWidth(first), 1)
  let width = 0
  let isContinued = false
  // What has one style is styled once.
  let run = ''
  let runStyle: Style | undefined
  const endRun = () => {
    const text = run.replaceAll(JOINING_SPACE, ' ')
    line += runStyle && text !== '' ? runStyle(text) : text
    run = ''
  }
  const breakLine = (continues: boolean) => {
    run = run.trimEnd()
    endRun()
    lines.push(line.trimEnd())
    line = rest
    room = Math.max(columns - stringWidth(rest), 1)
    width = 0
    isContinued = continues
  }
  const put = (text: string, textWidth: number, style: Style | undefined) => {
    if (style !== runStyle) endRun()
    runStyle = style
    run += text
    width += textWidth
  }
  const lineRoom = columns - stringWidth(rest)
  for (const { text: piece, style, width: pieceWidth, wordWidth } of cutPieces(spans)) {
    if (piece === '\n') {
      breakLine(false)
      continue
    }
    if (width > 0 && width + wordWidth > room && wordWidth <= lineRoom) breakLine(true)
    if (width + pieceWidth <= room) {
      // A space at which a line was broken is not carried to the next one.
      if (!(isContinued && width === 0 && piece.trim() === '')) put(piece, pieceWidth, style)
    } else if (piece.trim() === '') {
      breakLine(true)
    } else {
      if (width > 0 && pieceWidth <= lineRoom) breakLine(true)
      for (const part of cutWord(piece, () => room - width)) {
        if (part === undefined) breakLine(true)
        else put(part, measureWidth(part), style)
      }
    }
  }
  breakLine(false)
  return lines
}

interface Piece extends Span {
  readonly width: number
  /** With what follows without a space, in other styles: a comma behind a name stays with it. 0 inside of a word. */
  wordWidth: number
}

function cutPieces(spans: readonly Span[]): Piece[] {
  const pieces: Piece[] = []
  let word: Piece | undefined
  for (const { text, style } of spans) {
    for (const piece of text.match(PIECES) ?? []) {
      const width = measureWidth(piece)
      const added: Piece = { text: piece, width, wordWidth: 0, ...(style && { style }) }
      pieces.push(added)
      if (piece.trim() === '') {
        word = undefined
        continue
      }
      word ??= added
      word.wordWidth += width
    }
  }
  return pieces
}

/** The pieces of a word that fit what is left of each line; undefined where a new line has to begin. */
function* cutWord(word: string, room: () => number): Generator<string | undefined> {
  if (measureWidth(word) <= room()) {
    yield word
    return
  }
  let piece = ''
  let width = 0
  for (const segment of splitGraphemes(word)) {
    const next = measureWidth(segment)
    if (width + next > room() && (width > 0 || room() < next)) {
      if (piece !== '') yield piece
      yield undefined
      piece = ''
      width = 0
    }
    piece += segment
    width += next
  }
  if (piece !== '') yield piece
}

export function wrapText(text: string, columns: number, indent?: Indent, style?: Style): string[] {
  return wrapSpans([style ? { text, style } : { text }], columns, indent)
}

/** Breaks anywhere: for code, where spaces count. */
export function wrapExactly(text: string, columns: number): string[] {
  const room = Math.max(columns, 1)
  if (measureWidth(text) <= room) return [text]
  const lines: string[] = []
  let line = ''
  let width = 0
  for (const segment of splitGraphemes(text)) {
    const next = measureWidth(segment)
    if (width + next > room && line !== '') {
      lines.push(line)
      line = ''
      width = 0
    }
    line += segment
    width += next
  }
  lines.push(line)
  return lines
}
