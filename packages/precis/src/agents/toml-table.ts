/** A table in TOML, written at the end and taken out again; all other text stays as it is. */
import { listTomlStatements } from './find-entry.ts'
import type { TomlEntry } from './integration.ts'
import { applyTextEdits, type TextEdit } from './text-edit.ts'
import { readTomlStatements } from './toml-statements.ts'

/** For an entry that is absent, in a document where it can be. */
export function insertTomlTable(text: string, { names, values }: TomlEntry): TextEdit[] {
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const header = `[${names.join('.')}]`
  const pairs = Object.entries(values).map(([name, value]) => `${name} = ${renderValue(value)}`)
  const lead = text.trim() === '' ? '' : text.endsWith('\n') ? lineBreak : lineBreak + lineBreak
  return [{ offset: text.length, length: 0, text: lead + [header, ...pairs, ''].join(lineBreak) }]
}

function renderValue(value: string | readonly string[]): string {
  return typeof value === 'string' ? renderString(value) : `[${value.map(renderString).join(', ')}]`
}

/** Basic strings of TOML have the escapes of JSON; DEL is forbidden besides. */
function renderString(text: string): string {
  return JSON.stringify(text).replaceAll('\u{7f}', '\\u007f')
}

/** Tables inside it too, which an agent adds for what it remembers of a server. */
export function removeTomlTable(text: string, { names }: TomlEntry): string {
  const own = new Set(listTomlStatements(text, names).map(({ start }) => start))
  const stretches: { readonly start: number; end: number }[] = []
  let current: (typeof stretches)[number] | undefined
  for (const { start, end } of readTomlStatements(text)) {
    if (!own.has(start)) {
      current = undefined
      continue
    }
    // What stands between two of its lines goes as well: a comment, an empty line.
    const begun = current ?? { start: findBlockStart(text, start), end }
    if (!current) stretches.push(begun)
    begun.end = findLineEnd(text, end)
    current = begun
  }
  return applyTextEdits(
    text,
    stretches.map(({ start, end }) => ({ offset: start, length: end - start, text: '' })),
  )
}

/** Behind the break of the line, a comment on it included. */
function findLineEnd(text: string, end: number): number {
  const lineFeed = text.indexOf('\n', end)
  return lineFeed < 0 ? text.length : lineFeed + 1
}

/** With the empty line before it. */
function findBlockStart(text: string, start: number): number {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const [, emptyLine = ''] = /(?:^|\n)(\r?\n)$/.exec(text.slice(Math.max(lineStart - 3, 0), lineStart)) ?? []
  return lineStart - emptyLine.length
}
