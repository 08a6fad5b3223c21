/**
 * Whole files of precis in the folders of agents. One line, a comment, names precis as the owner
 * and contains the hash of all other lines. An edited file therefore belongs to the user.
 */
import { hash } from 'node:crypto'

const HASH_DIGITS = 12
const MARK =
  /^(?:\/\/|#) precis ([0-9a-f]{12}): written by "precis install [a-z0-9-]+", removed by "precis uninstall [a-z0-9-]+"\.$/

/**
 * `render` puts the line, with its line break, where the agent treats it as a comment. If called
 * without it, returns all other lines.
 */
export function createMarkedFile(
  agent: string,
  comment: '//' | '#',
  render: (mark: string) => string,
): string {
  const hash = hashText(render(''))
  return render(
    `${comment} precis ${hash}: written by "precis install ${agent}", removed by "precis uninstall ${agent}".\n`,
  )
}

/** `edited`: precis made it, and it was changed later. */
export function judgeMarkedFile(text: string): 'own' | 'edited' | 'foreign' {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => MARK.test(line.trimEnd()))
  const [, named] = MARK.exec(lines[at]?.trimEnd() ?? '') ?? []
  if (named === undefined) return 'foreign'
  return hashText(lines.toSpliced(at, 1).join('\n')) === named ? 'own' : 'edited'
}

function hashText(text: string): string {
  return hash('sha256', text).slice(0, HASH_DIGITS)
}
