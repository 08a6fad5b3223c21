import { createHash } from 'node:crypto'
import { escapeHtml } from './escape-html.ts'
import { renderLine } from './excerpt.ts'
import { pageStyle } from './page-style.ts'

const LONGEST_TITLE = 200

/** A page that needs nothing else: no script, no network; `title` is text, `body` is HTML, everything foreign in it escaped. */
export function renderPage(title: string, body: string): string {
  const styleHash = createHash('sha256').update(pageStyle).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${renderLine(title, LONGEST_TITLE)}</title>
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

/** `rows` are cells already in HTML, with their tags. */
export function renderPageTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return renderPageRows(
    caption,
    head,
    rows.map((cells) => `<tr>${cells.join('')}</tr>`),
  )
}

/** `rows` are whole rows already in HTML. */
export function renderPageRows(caption: string, head: readonly string[], rows: readonly string[]): string {
  const heading = head.map((title) => `<th scope="col">${escapeHtml(title)}</th>`).join('')
  return `<h3>${escapeHtml(caption)}</h3>
<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<thead><tr>${heading}</tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table></div>`
}
