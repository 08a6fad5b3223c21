/** The latest compaction in a log of Gemini CLI, as its hook sees it before the next prompt. */
import type { Message } from '@precis/core'
import type { CompactedConversation } from '@precis/core/facts'
import { formats } from '@precis/core/formats'
import { parseObject } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { RecordedCompaction } from '../shared/agent.ts'
import { readCompactions } from './compactions.ts'
import { listMessages } from './stored-chat.ts'

export interface NewestCompaction extends Pick<RecordedCompaction, 'by' | 'record'> {
  readonly compacted: CompactedConversation
  /** Whether anything after it contains such a text. */
  readonly holds: (text: string) => boolean
}

/** Undefined if the chat is not a log, or was never compacted. Throws if it cannot be read. */
export function readNewestCompaction(path: string): NewestCompaction | undefined {
  const bytes = readInputFile(path)
  // The hook reads the chat before each prompt, and most chats have no snapshot.
  if (!bytes.includes('<state_snapshot>')) return undefined
  const newest = readCompactions(createMemorySource(bytes)).at(-1)
  if (!newest) return undefined
  const lines = bytes.toString('utf8').split('\n')
  const at = findLine(lines, newest.record)
  const parse = (some: readonly string[]) =>
    formats['gemini-cli'].parse(createMemorySource(Buffer.from(`${some.join('\n')}\n`)))
  return {
    by: newest.by,
    record: newest.record,
    compacted: {
      before: parse(lines.slice(0, at)),
      history: readHistory(lines.slice(0, at), parse),
      after: parse(lines.slice(0, at + 1)).messages,
    },
    holds: (text) =>
      lines.slice(at + 1).some((line) => line.includes(JSON.stringify(text).slice(1, -1))),
  }
}

/** Records are lines, and the messages inside lines. */
function findLine(lines: readonly string[], record: number): number {
  let next = 0
  return lines.findIndex((line) => {
    const isFound = next === record
    next += 1 + listNested(line).filter(({ id }) => typeof id === 'string').length
    return isFound
  })
}

function listNested(line: string) {
  const value = parseObject(Buffer.from(line)) ?? {}
  const messages = listMessages(value)
  return messages[0] === value ? [] : messages
}

/**
 * The history as if it had never been compacted: each line that is one message. Copies are left
 * out.
 */
const readHistory = (
  lines: readonly string[],
  parse: (lines: readonly string[]) => { readonly messages: readonly Message[] },
): readonly Message[] => parse(lines.filter((line) => !line.startsWith('{"$set"'))).messages
