/** Commands whose result can be a page: where it is written, and that it is opened. */
import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { writeFileAtomically } from '../files/write-file.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { neutralizeLine } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrongUsage } from './failure.ts'

export interface PageFlags {
  /** Always there with `open`. */
  readonly html?: string
  readonly open?: boolean
  readonly json?: boolean
}

/** Adds `--html` and `--open`; `shows` says what a page shows. A path that cannot be written is refused before any work. */
export function addPageOptions(command: Command, shows: string): Command {
  return command
    .option('--html <file>', `write a page that shows ${shows}; prints its path alone`)
    .option('--open', 'open that page in the browser; without --html it is a temporary file')
    .hook('preAction', (_, called) => {
      const { html, open } = called.opts<PageFlags>()
      if (html !== undefined) checkPageFile(html)
      // Private, and with a name of its own in the tabs of a browser.
      else if (open)
        called.setOptionValue('html', join(mkdtempSync(join(tmpdir(), 'precis-')), `${command.name()}.html`))
    })
}

/** Minutes of work are not for a page that cannot be written. */
function checkPageFile(path: string): void {
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

/** Gives a result as it was asked for. With `--json` standard output belongs to the numbers, and the path of a page is a note. */
export async function printViews(
  { page, json, print }: { page: () => string; json: () => object; print: () => void },
  { html, open, json: asJson }: PageFlags,
  terminal: Terminal,
): Promise<void> {
  if (html !== undefined) await writeFileAtomically(html, [Buffer.from(page())])
  terminal.progress.clear()
  if (html !== undefined && asJson) terminal.note(`precis: wrote "${neutralizeLine(html)}".`)
  else if (html !== undefined) terminal.print(neutralizeLine(html))
  if (asJson) terminal.printJson(json())
  else if (html === undefined) print()
  if (html === undefined || !open) return
  const problem = await (await import('./open-page.ts')).openPage(resolve(html))
  if (problem !== undefined) terminal.note(`precis: no browser was opened, because ${problem}; open the page yourself.`)
}
