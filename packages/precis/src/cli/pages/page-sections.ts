/** What pages about one session are made of: heading, numbers, sections, legends. */
import { round } from './chart-ticks.ts'
import { escapeHtml } from './escape-html.ts'
import { renderLine } from './excerpt.ts'

export interface PageHeader {
  readonly eyebrow: string
  /** HTML. */
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

const LONGEST_FACT = 300

export function renderHeader({ eyebrow, title, facts }: PageHeader): string {
  const list = facts.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${renderLine(value, LONGEST_FACT)}</dd></div>`,
  )
  return `<header>
<p class="eyebrow">${escapeHtml(eyebrow)}</p>
<h1><bdi>${title}</bdi></h1>
<dl class="facts">${list.join('')}</dl>
</header>`
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

/** How full something is; a reader hears it from the words beside it. */
export function renderMeter(share: number): string {
  const width = round(Math.min(Math.max(share, 0), 1) * 100)
  const name = share >= 0.8 ? 'full' : 'used'
  return `<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4"/><rect class="${name}" width="${width}" height="4"/></svg>`
}

export interface Section {
  readonly id: string
  readonly title: string
  /** HTML; without any the section is left out. */
  readonly body: string
}

export function renderSections(sections: readonly Section[]): string {
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

export interface LegendRow {
  /** The class that has its colour. */
  readonly name: string
  readonly title: string
  readonly values: readonly string[]
}

/** The colours of a picture with their numbers: a legend that can be read without the picture. */
export function renderLegend(caption: string, head: readonly string[], rows: readonly LegendRow[]): string {
  const heading = head.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('')
  const lines = rows.map(({ name, title, values }) => {
    const cells = values.map((value) => `<td>${escapeHtml(value)}</td>`).join('')
    return `<tr><th scope="row">${renderSwatch(name)}${escapeHtml(title)}</th>${cells}</tr>`
  })
  return `<table class="legend-table"><caption>${escapeHtml(caption)}</caption>
<thead><tr>${heading}</tr></thead>
<tbody>${lines.join('\n')}</tbody></table>`
}

export interface Key {
  readonly name: string
  readonly title: string
  readonly value: string
  readonly note?: string
}

/** The same where each colour has but one number. */
export function renderKeys(label: string, keys: readonly Key[]): string {
  const list = keys.map(
    ({ name, title, value, note }) =>
      `<li>${renderSwatch(name)}${escapeHtml(title)} <b>${escapeHtml(value)}</b>${note === undefined ? '' : ` <small>${escapeHtml(note)}</small>`}</li>`,
  )
  return `<ul class="keys" aria-label="${escapeHtml(label)}">${list.join('')}</ul>`
}

export function renderSwatch(name: string): string {
  return `<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="${name}" width="10" height="10" rx="2"/></svg>`
}
