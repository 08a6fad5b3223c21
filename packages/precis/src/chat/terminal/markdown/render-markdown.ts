import type { Colors } from '../../../terminal/render.ts'
import { wrapExactly, wrapSpans } from '../../../terminal/spans.ts'
import { cutToWidth, neutralizeText } from '../../../terminal/terminal-text.ts'
import { type Block, type Fence, parseBlocks } from './blocks.ts'
import { renderInline } from './inline.ts'
import { renderMarkdownTable } from './table.ts'

const TAB = '    '

/** Lines of at most `columns`. The text may be anything: what acts on a terminal is taken out first. */
export function renderMarkdown(text: string, columns: number, colors: Colors, inside?: Fence): string[] {
  const safe = neutralizeText(text.replaceAll('\r\n', '\n').replaceAll('\t', TAB))
  const lines: string[] = []
  let before: Block | undefined
  for (const block of parseBlocks(safe, inside)) {
    if (before && !isTight(before, block)) lines.push('')
    for (const line of renderBlock(block, columns, colors)) lines.push(line)
    before = block
  }
  return lines
}

function isTight(before: Block, block: Block): boolean {
  return block.type === 'item' && (before.type === 'item' || before.type === 'paragraph')
}

function renderBlock(block: Block, columns: number, colors: Colors): string[] {
  switch (block.type) {
    case 'heading':
      return renderHeading(block, columns, colors)
    case 'paragraph':
      return wrapSpans(renderInline(block.text, colors), columns)
    case 'item': {
      const indent = '  '.repeat(block.depth)
      const first = `${indent}${colors.cyan(block.marker)} `
      const rest = indent + ' '.repeat(block.marker.length + 1)
      return wrapSpans(renderInline(block.text, colors), columns, { first, rest })
    }
    case 'quote': {
      const bar = colors.dim('│ '.repeat(block.depth))
      return wrapSpans(renderInline(block.text, colors, colors.italic), columns, { first: bar })
    }
    case 'code':
      return renderCode(block, columns, colors)
    case 'table':
      return renderMarkdownTable(block, columns, colors)
    case 'rule':
      return [colors.dim('─'.repeat(Math.min(columns, 60)))]
  }
}

function renderHeading(
  { level, text }: Extract<Block, { type: 'heading' }>,
  columns: number,
  colors: Colors,
): string[] {
  const style = (part: string) => (level === 1 ? colors.bold(colors.underline(part)) : colors.bold(part))
  const mark = colors.isColorSupported ? '' : `${'#'.repeat(level)} `
  return wrapSpans(renderInline(text, colors, style), columns, { first: mark })
}

function renderCode(
  { language, lines, isOpen }: Extract<Block, { type: 'code' }>,
  columns: number,
  colors: Colors,
): string[] {
  const bar = colors.dim('│ ')
  const title = language === '' ? '╭──' : cutToWidth(`╭─ ${language.slice(0, 20)} ─`, columns)
  const body = lines.flatMap((line) =>
    wrapExactly(line, columns - 2).map((part) => bar + colorCode(line, part, language, colors)),
  )
  return [colors.dim(title), ...body, ...(isOpen ? [] : [colors.dim('╰──')])]
}

/** Only a diff has colours: they say what came and what went. */
function colorCode(line: string, part: string, language: string, colors: Colors): string {
  if (language !== 'diff' && language !== 'patch') return part
  if (line.startsWith('+')) return colors.green(part)
  if (line.startsWith('-')) return colors.red(part)
  return line.startsWith('@@') ? colors.cyan(part) : part
}
