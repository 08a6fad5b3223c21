/**
 * What recognition of any agent's request reads. All of it is untrusted data of a client. Anything
 * with another shape is undefined.
 */
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { RequestHeaders } from './wire.ts'

/** Undefined if the header was sent twice. */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  return asText(headers[name])
}

const ID = /^[\w.:-]{1,200}$/

/** A header with an id: short, and of harmless characters. */
export function readIdHeader(headers: RequestHeaders, name: string): string | undefined {
  const id = readHeader(headers, name)
  return id !== undefined && ID.test(id) ? id : undefined
}

/** An address without its query. */
export function readPathname(path: string): string {
  const query = path.indexOf('?')
  return query < 0 ? path : path.slice(0, query)
}

/** A list of objects. */
export function asObjects(value: unknown): readonly JsonObject[] | undefined {
  if (!Array.isArray(value)) return undefined
  const objects: JsonObject[] = []
  for (const entry of value) {
    const object = asObject(entry)
    if (!object) return undefined
    objects.push(object)
  }
  return objects
}

/** The text of a content that is a string, or a list with one text part. */
export function readOnlyText(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const parts = asObjects(content)
  return parts?.length === 1 ? asText(parts[0]?.text) : undefined
}

/**
 * The text without its last paragraph or line, if that begins with `beginning`. `beginning` starts
 * with the line break before it.
 */
export function dropLastLine(text: string, beginning: string): string {
  const start = text.lastIndexOf(beginning)
  return start < 0 || text.includes('\n', start + beginning.length) ? text : text.slice(0, start)
}

export interface TextFrame {
  readonly wrapSummary: (summary: string) => string
  readonly unwrapSummary: (text: string) => string | undefined
}

/** A tag around a summary, for agents that send it back unchanged. */
export function createFrame(tag: string): TextFrame {
  const opening = `<${tag}>\n`
  const closing = `\n</${tag}>`
  return {
    wrapSummary: (summary) => opening + summary + closing,
    unwrapSummary: (text) => {
      const isWhole = text.length >= opening.length + closing.length
      const isFramed = isWhole && text.startsWith(opening) && text.endsWith(closing)
      return isFramed ? text.slice(opening.length, -closing.length) : undefined
    },
  }
}
