/** Content that may be Markdown, inside of a document of ours: it stays readable, forges no heading, and brings no tag and no picture. */
import { redactSecrets } from '@precis/core/secrets'
import { neutralizeText } from '../terminal/render.ts'

// Our headings have three levels.
const HEADING = /^( {0,3})(#{1,6})(?=\s|$)/
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/
const FENCE = /^( {0,3})(`{3,}|~{3,})/
const TAG = /<(?=[a-z/!?])/gi
const PICTURE = /!\[/g

/** Headings go below ours, tags and pictures are spelled out, and a block of code that is left open ends. */
export function tameMarkdown(content: string): string {
  const lines: string[] = []
  let fence = ''
  // Code in a line may begin in the line before: until a line is blank, no backtick is trusted.
  let isLoose = false
  for (const line of neutralizeText(redactSecrets(content)).trim().split('\n')) {
    const [, , ticks = ''] = FENCE.exec(line) ?? []
    if (fence !== '') {
      lines.push(line)
      if (ticks.startsWith(fence) && line.trim() === ticks) fence = ''
      continue
    }
    if (ticks !== '' && !line.slice(line.indexOf(ticks) + ticks.length).includes('`')) {
      fence = ticks
      lines.push(line)
      continue
    }
    if (line.trim() === '') isLoose = false
    const pieces = line.split('`')
    isLoose ||= pieces.length % 2 === 0 || line.includes('\\`') || line.includes('``')
    const spell = (text: string) => text.replace(TAG, '\\<').replace(PICTURE, '!\\[')
    const tamed = isLoose
      ? spell(line)
      : pieces.map((piece, index) => (index % 2 === 0 ? spell(piece) : piece)).join('`')
    lines.push(
      UNDERLINE.test(tamed) && (lines.at(-1) ?? '').trim() !== ''
        ? `\\${tamed.trim()}`
        : tamed.replace(HEADING, (_, indent: string, marks: string) => indent + '#'.repeat(Math.max(marks.length, 4))),
    )
  }
  return [...lines, ...(fence === '' ? [] : [fence])].join('\n')
}

/** A block of code that its content cannot end. */
export function renderCode(content: string): string {
  const text = neutralizeText(redactSecrets(content)).trimEnd()
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** Markdown as a quotation. */
export function quoteBlock(markdown: string): string {
  return markdown.replace(/^/gm, '> ').replace(/^> $/gm, '>')
}
