import type { ContentPart, MediaPart, TextPart } from '../conversation/message.ts'
import type { CallView } from './strategy.ts'

const LONGEST_TARGET = 100

/** Longer than any stub, so that a stub is never cleared again. */
export const LONGEST_STUB = 240

/** One line in the place of a result: the tool, what it was for, how it ended if it failed, and why it went. */
export function renderStub(call: CallView, reason: string): string {
  return `[${renderCall(call)}: ${call.failed ? 'failed, ' : ''}${reason}]`
}

/** The tool and what it was for, on one line. */
export function renderCall({ name, paths, command }: CallView): string {
  const target = command ?? paths.join(' ')
  const tool = clipLine(name, LONGEST_TARGET / 2)
  return target === '' ? tool : `${tool} ${clipLine(target, LONGEST_TARGET)}`
}

/** On one line, at most `length` characters, no half of a pair at its end. */
export function clipLine(text: string, length: number): string {
  // A command may hold a whole file; the beginning is enough to make one line of.
  const line = text
    .slice(0, length * 2)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= length && text.length <= length * 2) return line
  return `${cutBefore(line, Math.min(length, line.length + 1) - 1)}…`
}

/** The first `length` characters, less one if that would split a surrogate pair. */
export function cutBefore(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, Math.max(last >= 0xd800 && last <= 0xdbff ? length - 1 : length, 0))
}

/** The last `length` characters, less one if that would split a surrogate pair. */
export function cutAfter(text: string, length: number): string {
  const start = Math.max(text.length - length, 0)
  const first = text.charCodeAt(start)
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start)
}

const REPORT =
  /^\s{0,8}(?:(?:error|fatal|fail(?:ed|ure)?|panic|traceback|npm err!|--- fail|not ok)\b|[✗✘×])|[a-z](?:Error|Exception):|: error\b/i
const READ_CHARACTERS = 200

/** Whether a line of output reports a failure by its shape; code that raises one does not. */
export function reportsFailure(line: string): boolean {
  return REPORT.test(line.slice(0, READ_CHARACTERS))
}

/** What stands for an image or a file that was cleared. */
export function renderMedia({ type, mediaType, width, height, bytes }: MediaPart): string {
  const size = width !== undefined && height !== undefined ? ` ${width}×${height}` : ''
  const weight = bytes > 0 ? `, ${Math.ceil(bytes / 1024)} KB` : ''
  return `[${type} ${clipLine(mediaType, 60)}${size}${weight}: cleared]`
}

/** A line of text for an image or a file, and for opaque content beyond a length; the part itself otherwise. */
export function clearContent(part: ContentPart, longestOpaque: number): ContentPart {
  if (part.type === 'text') return part
  if (part.type !== 'opaque') return textPart(renderMedia(part))
  return part.text.length < longestOpaque ? part : textPart(`[${clipLine(part.kind, 60)}: cleared]`)
}

export function textPart(text: string): TextPart {
  return { type: 'text', text }
}
