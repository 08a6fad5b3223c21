/** Files of agents as text that can be given back byte for byte. */
import { lstatSync } from 'node:fs'
import { readInputFile } from '../input-file.ts'
import { explainSystemError, systemErrorCode } from '../system-error.ts'
import { AgentFileError } from './agent-file-error.ts'

/** With its byte order mark, if it has one; undefined when there is no such file. Throws `AgentFileError`. */
export function readAgentFile(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readInputFile(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
      throw refuseAgentFile(path, 'it is a link to a file that is not there')
    }
    throw new AgentFileError('configuration-unreadable', `Reading "${path}": ${explainSystemError(error)}.`)
  }
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw refuseAgentFile(path, 'it is no text in UTF-8')
}

/** For a file that is left alone because nobody could say what a change would do to it. */
export function refuseAgentFile(path: string, problem: string): AgentFileError {
  return new AgentFileError(
    'configuration-unreadable',
    `Reading "${path}": ${problem}. Nothing was changed; correct the file, then run this again.`,
  )
}
