import { getDefaults, Lexer, type MarkedToken, type Token, Tokenizer } from 'marked'
import type { Colors } from '../contract/ports.ts'

/**
 * For text of models: an indented line is not code, and a definition is shown like any other line.
 */
class AnswerTokenizer extends Tokenizer {
  override code(): undefined {}
  override def(): undefined {}
}

export const OPTIONS = { ...getDefaults(), gfm: true, tokenizer: new AnswerTokenizer() }

// A limit for paragraphs, because the parser takes quadratic time for unclosed marks.
const MAX_INLINE_LENGTH = 2000

export interface MarkdownPage {
  readonly columns: number
  readonly colors: Colors
  /** Whether it is in a quote, where lines stay as they are. */
  readonly isQuote?: boolean
}

/** Bold, italic, strikethrough, code and links. */
export function renderInline(text: string, page: MarkdownPage): string {
  let rendered = ''
  for (let start = 0; start < text.length; ) {
    const end = findEnd(text, start)
    rendered += renderSpans(Lexer.lexInline(text.slice(start, end), OPTIONS) as MarkedToken[], page)
    start = end
  }
  return rendered
}

/** After a space, if there is one. */
function findEnd(text: string, start: number): number {
  const end = start + MAX_INLINE_LENGTH
  const space = end < text.length ? text.lastIndexOf(' ', end) : -1
  return space > start ? space + 1 : end
}

function renderSpans(tokens: readonly MarkedToken[], page: MarkdownPage): string {
  return tokens.map((token) => renderSpan(token, page)).join('')
}

function renderSpan(token: MarkedToken, page: MarkdownPage): string {
  const { colors, isQuote } = page
  const inner = (children: readonly Token[] | undefined) =>
    renderSpans((children ?? []) as MarkedToken[], page)
  switch (token.type) {
    case 'strong':
      return colors.bold(inner(token.tokens))
    case 'em':
      return colors.italic(inner(token.tokens))
    case 'del':
      return token.raw.startsWith('~~') ? colors.strikethrough(inner(token.tokens)) : token.raw
    case 'codespan':
      return colors.isColorSupported ? colors.cyan(token.text) : `\`${token.text}\``
    case 'link':
    case 'image': {
      const label = token.type === 'link' ? inner(token.tokens) : token.text
      const address = token.href.replace(/^mailto:/, '')
      const shown = token.text === '' || token.text === address ? '' : colors.dim(` (${address})`)
      return colors.underline(label === '' ? address : label) + shown
    }
    case 'br':
      return '\n'
    case 'escape':
      return token.text
    default:
      return isQuote ? token.raw : token.raw.replaceAll(/ *\n */g, ' ')
  }
}
