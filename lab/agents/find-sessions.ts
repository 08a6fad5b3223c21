import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The text of every file below a folder; those first whose own name has the word. */
export function readSessions(folder: string, ending: string, first: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith(ending),
  )
  const isFirst = (name: string) => basename(name).includes(first)
  return names
    .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || a.localeCompare(b))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}
