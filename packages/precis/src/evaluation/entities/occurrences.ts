/** Where a name stands in a line, not as a piece of a longer word; start positions, ascending. */
export function* findOccurrences(line: string, name: string): Generator<number> {
  if (name === '') return
  for (let at = line.indexOf(name); at >= 0; ) {
    const end = at + name.length
    const isWhole = !isPlain(line.charCodeAt(at - 1)) && !isPlain(line.charCodeAt(end))
    if (isWhole) yield at
    at = line.indexOf(name, isWhole ? end : at + 1)
  }
}

function isPlain(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
}
