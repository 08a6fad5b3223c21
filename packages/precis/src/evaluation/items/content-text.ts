import { asObject } from '../../sessions/lines.ts'

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text'])

/** The readable text of a native content value; media leave an empty line. */
export function readContentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(readBlockText).join('\n')
  return content === null || content === undefined ? '' : JSON.stringify(content)
}

function readBlockText(block: unknown): string {
  const { type, text } = asObject(block) ?? {}
  return typeof type === 'string' && TEXT_TYPES.has(type) && typeof text === 'string' ? text : ''
}
