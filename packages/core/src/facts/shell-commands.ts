/** Tells what a shell command looks at. */

/** The kind of a shell command: reading files, searching, or anything else. */
export interface ShellReading {
  readonly kind: 'read' | 'search' | 'command'
  /** Files it reads; empty for anything else. */
  readonly paths: readonly string[]
}

const READERS = new Set(['cat', 'head', 'tail', 'nl', 'less', 'more', 'bat', 'sed'])
const SEARCHERS = new Set(['rg', 'grep', 'egrep', 'find', 'fd', 'ls', 'tree', 'ag', 'ack'])
const LONGEST_READ = 400

export function readShellCommand(command: string): ShellReading {
  const words = firstWords(command)
  const program = words[0]?.slice(words[0].lastIndexOf('/') + 1) ?? ''
  if (READERS.has(program) && command.length <= LONGEST_READ && !/[<>]|\s-i\b/.test(command)) {
    const paths = words.slice(1).filter(isPath)
    if (paths.length > 0) return { kind: 'read', paths }
  }
  return { kind: SEARCHERS.has(program) ? 'search' : 'command', paths: [] }
}

/** Words of the first command that does more than change the directory or set variables. */
function firstWords(command: string): string[] {
  const [first = ''] = command.slice(0, LONGEST_READ).split('\n', 1)
  for (const step of first.split(/&&|\|\||;/)) {
    const words = (step.split('|', 1)[0] ?? '')
      .split(' ')
      .map(unquote)
      .filter((word) => word !== '')
    while (words.length > 0 && (words[0] === 'env' || /^[A-Z_][A-Z0-9_]*=/.test(words[0]!)))
      words.shift()
    if (words.length > 0 && words[0] !== 'cd') return words
  }
  return []
}

function unquote(word: string): string {
  const quote = word[0]
  return (quote === '"' || quote === "'") && word.endsWith(quote) ? word.slice(1, -1) : word
}

function isPath(word: string): boolean {
  return (
    !word.startsWith('-') &&
    /[./]/.test(word) &&
    /^[\w@+~./-]{3,300}$/.test(word) &&
    !/^\d/.test(word)
  )
}
