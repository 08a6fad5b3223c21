import { createHash } from 'node:crypto'
import { redactSecrets } from '@precis/core/secrets'
import { neutralizeLine, withoutSequences } from '../terminal/render.ts'
import { pageStyle } from './page-style.ts'

const LONGEST_NAME = 200

interface PageOptions {
  /** Whether its forms may be sent to the server that it came from. */
  readonly canSubmit?: boolean
}

/** The content security policy of a page. A server also sends it as a header. */
export function renderPolicy({ canSubmit = false }: PageOptions = {}): string {
  const styleHash = createHash('sha256').update(pageStyle).digest('base64')
  return `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action ${canSubmit ? "'self'" : "'none'"}`
}

/**
 * A page without script, network or other files. `title` is text and `body` is HTML in which all
 * foreign text is escaped.
 */
export function renderPage(title: string, body: string, options?: PageOptions): string {
  const policy = renderPolicy(options)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${renderLine(title, LONGEST_NAME)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

/**
 * The cells are HTML with their tags. On a narrow screen the cells of a row are below each other,
 * each with its title. Rows at the positions in `marked` get the class `compressed`.
 */
export function renderPageTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  marked: ReadonlySet<number> = new Set(),
): string {
  const titles = head.map((title) => `<td data-title="${escapeHtml(title)}"`)
  const lines = rows.map((cells, row) => {
    const titled = cells.map((cell, column) => cell.replace(/^<td/, titles[column] ?? '<td'))
    return `<tr${marked.has(row) ? ' class="compressed"' : ''}>${titled.join('')}</tr>`
  })
  return `<h3>${escapeHtml(caption)}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
${renderHeading(head)}
<tbody>${lines.join('\n')}</tbody>
</table></div>`
}

function renderHeading(titles: readonly string[]): string {
  return `<thead><tr>${titles.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('')}</tr></thead>`
}

export function renderCell(text: string): string {
  return `<td>${escapeHtml(text)}</td>`
}

export function renderRowHead(html: string): string {
  return `<th scope="row">${html}</th>`
}

// Text after the cut, so that a key that begins before it is recognised.
const MARGIN = 2000
// A hundred marks on one letter are drawn over everything around it.
const MARKS = /(\p{M}{6})\p{M}+/gu
const LONGEST_WORD = 16
const BLANK_LINES = /\n(?:[ \t]*\n){2,}/g

/**
 * The beginning of a text, with its line feeds and without secrets. `mostBytes` is the size of the
 * HTML.
 */
export function renderExcerpt(
  text: string,
  mostBytes: number,
): { readonly html: string; readonly isCut: boolean } {
  const cleaned = clean(text.slice(0, mostBytes + MARGIN))
  const end = findCut(cleaned, mostBytes)
  const shown = cleaned.slice(0, end).trimEnd()
  const html = shown.split('\n').map(escapeHtml).join('\n')
  return { html, isCut: end < cleaned.length || text.length > mostBytes + MARGIN }
}

/** An excerpt with its lines. Empty if there are no words. */
export function renderExcerptLines(text: string, mostBytes: number): string {
  const { html, isCut } = renderExcerpt(text, mostBytes)
  return html === '' ? '' : `<pre>${html}${isCut ? '<span class="more">…</span>' : ''}</pre>`
}

/** One line, with `…` at a cut: at the end of a word, if it is near. */
export function renderLine(text: string, mostBytes: number): string {
  const cleaned = clean(text.slice(0, mostBytes + MARGIN).replace(/\s+/g, ' '))
  const end = findCut(cleaned, mostBytes)
  const shown = cleaned.slice(0, end)
  if (end === cleaned.length) return escapeHtml(shown)
  const word = shown.lastIndexOf(' ')
  return `${escapeHtml(word > end - LONGEST_WORD ? shown.slice(0, word) : shown)}…`
}

function clean(text: string): string {
  return redactSecrets(withoutSequences(text))
    .replace(/\r\n?/g, '\n')
    .replace(MARKS, '$1')
    .replace(BLANK_LINES, '\n\n')
    .replaceAll('\t', '  ')
    .trim()
}

/** The first position that is too far, never between the halves of a character. */
function findCut(text: string, mostBytes: number): number {
  let bytes = 0
  let position = 0
  for (const character of text) {
    bytes += weigh(character)
    if (bytes > mostBytes) return position
    position += character.length
  }
  return position
}

function weigh(character: string): number {
  if ('&<>"\''.includes(character)) return 6
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Text as text, in an element and in a quoted attribute. Characters that mislead a reader's eye are
 * removed.
 */
export function escapeHtml(text: string): string {
  return neutralizeLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** The parts of pages about one session: heading, numbers, sections, legends. */
/** A page about one session. Undefined values are left out. */
interface SessionPage {
  readonly command: string
  readonly eyebrow: string
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string | undefined])[]
  readonly tiles: readonly (Tile | undefined)[]
  /** The body is HTML. A section without a body is left out. */
  readonly sections: readonly {
    readonly id: string
    readonly title: string
    readonly body: string
  }[]
  readonly notes: readonly string[]
}

const LONGEST_TITLE = 110
const LONGEST_FACT = 300
const LONGEST_NOTE = 1000
export const NOTE_ON_TEXTS =
  'Texts are shown from their beginning. [redacted: precis restore] replaces text that looks like a key or a password. This page loads nothing from a network and runs no code.'

export function renderSessionPage({
  command,
  eyebrow,
  title,
  facts,
  tiles,
  sections,
  notes,
}: SessionPage): string {
  const list = facts.flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`<div><dt>${escapeHtml(name)}</dt><dd>${renderLine(value, LONGEST_FACT)}</dd></div>`],
  )
  const body = `<header>
<p class="eyebrow">${escapeHtml(eyebrow)}</p>
<h1><bdi>${renderLine(title, LONGEST_TITLE)}</bdi></h1>
<dl class="facts">${list.join('')}</dl>
</header>
${renderTiles(tiles.filter((tile) => tile !== undefined))}
${renderSections(sections)}
<footer>${notes.map((note) => `<p>${renderLine(note, LONGEST_NOTE)}</p>`).join('')}</footer>`
  return renderPage(`${title} – precis ${command}`, body)
}

/** One number that a reader looks for first. */
export interface Tile {
  readonly title: string
  readonly value: string
  readonly unit?: string
  readonly note: string
  /** HTML. */
  readonly meter?: string
}

export function renderTiles(tiles: readonly Tile[]): string {
  const list = tiles.map(
    ({ title, value, unit, note, meter = '' }) =>
      `<div><dt>${escapeHtml(title)}</dt><dd><strong>${escapeHtml(value)}</strong>${unit === undefined ? '' : ` ${escapeHtml(unit)}`}${meter}<small>${escapeHtml(note)}</small></dd></div>`,
  )
  return `<dl class="tiles">${list.join('\n')}</dl>`
}

/** How full something is. A screen reader reads the words next to it. */
export function renderMeter(share: number): string {
  const width = round(Math.min(Math.max(share, 0), 1) * 100)
  const name = share >= 0.8 ? 'full' : 'used'
  return `<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="${name}" width="${width}" height="4"/></svg>`
}

/** With links to them. */
export function renderSections(sections: SessionPage['sections']): string {
  const filled = sections.filter(({ body }) => body !== '')
  const links = filled.map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`)
  const bodies = filled.map(
    ({ id, title, body }) => `<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${escapeHtml(title)}</h2>
${body}
</section>`,
  )
  return `<nav aria-label="Sections">${links.join('')}</nav>
${bodies.join('\n')}`
}

/** A color of a picture. `name` is its class. */
interface Legend {
  readonly name: string
  readonly title: string
}

/** The colours of a picture with their numbers: a legend that can be read without the picture. */
export function renderLegend(
  caption: string,
  head: readonly string[],
  rows: readonly (Legend & { readonly values: readonly string[] })[],
): string {
  const lines = rows.map(
    ({ name, title, values }) =>
      `<tr>${renderRowHead(renderSwatch(name) + escapeHtml(title))}${values.map(renderCell).join('')}</tr>`,
  )
  return `<table class="legend-table"><caption>${escapeHtml(caption)}</caption>
${renderHeading(head)}
<tbody>${lines.join('\n')}</tbody></table>`
}

/** The same if each color has one number. */
export function renderKeys(
  label: string,
  keys: readonly (Legend & { readonly value: string; readonly note?: string })[],
): string {
  const list = keys.map(
    ({ name, title, value, note }) =>
      `<li>${renderSwatch(name)}${escapeHtml(title)} <b>${escapeHtml(value)}</b>${note === undefined ? '' : ` <small>${escapeHtml(note)}</small>`}</li>`,
  )
  return `<ul class="keys" aria-label="${escapeHtml(label)}">${list.join('')}</ul>`
}

export function renderSwatch(name: string): string {
  return `<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="${name}" width="10" height="10" rx="2"/></svg>`
}

/** How much of each item a page shows, so that the excerpts of all together stay below a size. */
export function shareBytes(
  count: number,
  { all, least, most }: { all: number; least: number; most: number },
): number {
  return Math.min(Math.max(Math.floor(all / Math.max(count, 1)), least), most)
}

/** `40k`, `1.2M` */
export function renderShort(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`
  return value >= 1000 ? `${Number((value / 1000).toFixed(1))}k` : String(Math.round(value))
}

/** A coordinate without noise. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}
