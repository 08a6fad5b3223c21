/** Which of the files in a folder of Gemini CLI are the chats that it would resume. */
import { dirname } from 'node:path'

/** Named by the first eight digits of the id. */
export const CHAT_FILE = /^session-.{1,40}-([0-9a-f]{8})\.jsonl?$/i
export const CHAT_LEVELS = 2

interface ChatFile {
  readonly id: string
  readonly path: string
  readonly bytes: number
}

/**
 * One file for each session. Every resume leaves a second file with the same id and no word in it, and a session of
 * an older version goes on in a log beside its first file.
 *
 *   session-2026-11-21T18-27-1fe6fa35.json     ┐ the log holds all of it
 *   session-2026-11-21T18-27-1fe6fa35.jsonl    ┘
 *   session-2026-11-21T18-28-1fe6fa35.jsonl      a start, much smaller
 */
export function dropStarts<File extends ChatFile>(files: readonly File[]): File[] {
  const paths = new Set(files.map(({ path }) => path))
  const largest = new Map<string, File>()
  for (const file of files) {
    if (paths.has(`${file.path}l`)) continue
    const key = `${dirname(file.path)} ${file.id}`
    const other = largest.get(key)
    if (!other || other.bytes < file.bytes) largest.set(key, file)
  }
  return [...largest.values()]
}
