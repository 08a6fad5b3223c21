import { neutralizeLine } from '../../terminal/terminal-text.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as text, in an element and in a quoted attribute; what steers a reader's eye is taken out too. */
export function escapeHtml(text: string): string {
  return neutralizeLine(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
