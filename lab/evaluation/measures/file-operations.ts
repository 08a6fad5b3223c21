import { listUsedFiles } from './file-uses.ts'
import type { Measure } from './measure.ts'

/** The verb has to be near, or one line with every name would do. */
export const fileOperations: Measure = {
  name: 'art_op',
  title: 'files written, with what was done to them',
  prepare({ past }) {
    const names = listUsedFiles(past, 'written')
    return ({ lines }) => ({
      kept: names.filter((name) => lines.some((line) => isSaidToBeWritten(name, line))).length,
      total: names.length,
    })
  },
}

const VERB_CHARACTERS = 80
const WRITE_VERB =
  /\b(edit|edited|writ|wrote|created?|modif|updat|chang|add(?:ed)?|fix|patch|replace|apply_patch|delet|remov|M |\+\+\+|\*\*\* )/i

function isSaidToBeWritten(name: string, line: string): boolean {
  for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + name.length)) {
    if (
      WRITE_VERB.test(
        line.slice(Math.max(0, at - VERB_CHARACTERS), at + name.length + VERB_CHARACTERS),
      )
    )
      return true
  }
  return false
}
