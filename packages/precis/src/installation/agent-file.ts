/** Files of agents as text that can be restored byte for byte. */
import { lstatSync } from 'node:fs'
import { AgentFileError, explainSystemError, systemErrorCode } from '../files/errors.ts'
import { readInputFile } from '../files/read-document.ts'

/** Includes the byte order mark. Undefined if there is no such file. Throws `AgentFileError`. */
export function readAgentFile(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readInputFile(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
      throw refuseAgentFile(path, 'it is a link to a file that is not there')
    }
    throw new AgentFileError(
      'configuration-unreadable',
      `Reading "${path}": ${explainSystemError(error)}.`,
    )
  }
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw refuseAgentFile(path, 'it is no text in UTF-8')
}

/** The error for a file that is left unchanged because the effect of a change is unknown. */
export function refuseAgentFile(path: string, problem: string): AgentFileError {
  return new AgentFileError(
    'configuration-unreadable',
    `Reading "${path}": ${problem}. Nothing was changed. Correct the file, then run this again.`,
  )
}

/** Other text instead of a section. Offsets count UTF-16 units of the text before any edit. */
export interface TextEdit {
  readonly offset: number
  readonly length: number
  readonly text: string
}

/** Edits are ascending and disjoint. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const pieces: string[] = []
  let at = 0
  for (const edit of edits) {
    pieces.push(text.slice(at, edit.offset), edit.text)
    at = edit.offset + edit.length
  }
  return pieces.join('') + text.slice(at)
}

/** Edits that turn the result back into `text`. */
export function invertTextEdits(text: string, edits: readonly TextEdit[]): TextEdit[] {
  let shift = 0
  return edits.map(({ offset, length, text: inserted }) => {
    const inverse = {
      offset: offset + shift,
      length: inserted.length,
      text: text.slice(offset, offset + length),
    }
    shift += inserted.length - length
    return inverse
  })
}
