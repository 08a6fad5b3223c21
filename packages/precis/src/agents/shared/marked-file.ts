/**
 * Whole files of precis in the folders of agents: one line, a comment, says whose it is and has the
 * hash of all others, wherever the agent lets it stand. So a file that was edited is the user's.
 */
import { createHash } from 'node:crypto'

const HASH_DIGITS = 12
const MARK =
  /^(?:\/\/|#) precis ([0-9a-f]{12}): written by "precis install [a-z0-9-]+", removed by "precis uninstall [a-z0-9-]+"\.$/

/**
 * `render` puts the line, with its break, where the agent takes it for a comment; without it, it
 * gives all others.
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

/** `edited`: it was made by precis and is not what precis made of it. */
export function judgeMarkedFile(text: string): 'own' | 'edited' | 'foreign' {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => MARK.test(line.trimEnd()))
  const [, named] = MARK.exec(lines[at]?.trimEnd() ?? '') ?? []
  if (named === undefined) return 'foreign'
  return hashText(lines.toSpliced(at, 1).join('\n')) === named ? 'own' : 'edited'
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}
