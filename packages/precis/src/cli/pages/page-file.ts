/** `--html`: a page goes into a file, and its path is what the command prints. */
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { LoadedSession } from '../../sessions/load-session.ts'
import { writeFileAtomically } from '../../sessions/write-file.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { neutralizeLine } from '../../terminal/terminal-text.ts'
import { wrongUsage } from '../failure.ts'

/** Minutes of work are not for a page that cannot be written. */
export function checkPageFile(path: string): void {
  const isFolder = (name: string) => statSync(name, { throwIfNoEntry: false })?.isDirectory() === true
  if (isFolder(path)) throw wrongUsage(`Writing "${path}": it is a folder; give the name of a file in it to --html.`)
  if (isFolder(dirname(resolve(path)))) return
  throw wrongUsage(`Writing "${path}": there is no such folder. Make it, or give another name to --html.`)
}

/** A session is never written over. */
export function refuseSessionFile({ document: { stats } }: LoadedSession, path: string): void {
  const other = statSync(path, { throwIfNoEntry: false })
  if (other === undefined || stats?.ino !== other.ino || stats.dev !== other.dev) return
  throw wrongUsage(`Writing "${path}": it is one of the sessions. Give another name to --html.`)
}

export async function writePageFile(path: string, page: string): Promise<void> {
  await writeFileAtomically(path, [Buffer.from(page)])
}

/** Prints one line, the path. With `--json` standard output belongs to the numbers, and the path is a note. */
export function printPagePath(path: string, json: boolean | undefined, terminal: Terminal): void {
  if (json) terminal.note(`precis: wrote "${neutralizeLine(path)}".`)
  else terminal.print(neutralizeLine(path))
}
