/**
 * Options of commands whose result can be a page: the path of the page, and whether it is opened.
 */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import { explainSystemError, systemErrorCode } from '../files/errors.ts'
import { findExisting, writeFileAtomically } from '../files/write-file.ts'
import { isFileOf } from '../sessions/find-sessions.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { neutralizeLine } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrongUsage } from './failure.ts'

export interface PageFlags {
  /** Always present with `open`. */
  readonly html?: string
  readonly open?: boolean
  readonly json?: boolean
}

/**
 * Adds `--html` and `--open`. `shows` describes the page. An unwritable path is refused before any
 * work.
 */
export function addPageOptions(command: Command, shows: string): Command {
  return command
    .option('--html <file>', `write a page that shows ${shows}, and print only its path`)
    .option('--open', 'open that page in the browser (a temporary file without --html)')
    .hook('preAction', (_, called) => {
      const { html, open } = called.opts<PageFlags>()
      if (html !== undefined) checkPageFile(html)
      // Private, and with a distinct name in the tabs of a browser.
      else if (open)
        called.setOptionValue(
          'html',
          join(mkdtempSync(join(tmpdir(), 'precis-')), `${command.name()}.html`),
        )
    })
}

/** Refuses an unwritable path before minutes of work. */
function checkPageFile(path: string): void {
  const isFolder = (name: string) => findExisting(name)?.isDirectory() === true
  if (isFolder(path))
    throw wrongUsage(`Writing "${path}": it is a folder. Give the name of a file in it to --html.`)
  if (isFolder(dirname(resolve(path)))) return
  throw wrongUsage(
    `Writing "${path}": there is no such folder. Create it, or give another name to --html.`,
  )
}

/** Refuses to overwrite a session. */
export function refuseSessionFile({ document }: LoadedSession, path: string): void {
  if (!isFileOf(document, findExisting(path))) return
  throw wrongUsage(`Writing "${path}": it is one of the sessions. Give another name to --html.`)
}

/**
 * Prints a result in the requested form. With `--json`, standard output contains only the numbers,
 * and the path of a page is a note.
 */
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
  const problem = await openPage(resolve(html))
  if (problem !== undefined)
    terminal.note(`precis: no browser was opened, because ${problem}. Open the page yourself.`)
}

// The program that opens a page ends immediately, or runs as long as the browser.
const MOST_WAIT_MS = 3000

/**
 * Opens a file in the user's browser. Returns why this failed, for the user. Undefined if it
 * worked.
 */
async function openPage(path: string): Promise<string | undefined> {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env
  const isDesktop =
    ['darwin', 'win32'].includes(process.platform) ||
    [BROWSER, DISPLAY, WAYLAND_DISPLAY].some(Boolean)
  // If there is no screen, a text browser would take over this terminal.
  if (!isDesktop) return 'there is no screen here'
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const { spawn } = await import('cross-spawn')
  const child = spawn(program, [...words, path], {
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  })
  try {
    const ended = once(child, 'exit').then(([code]) =>
      code === 0 ? undefined : `${program} failed`,
    )
    return await Promise.race([ended, setTimeout(MOST_WAIT_MS, undefined, { ref: false })])
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT'
      ? `there is no ${program} here`
      : explainSystemError(error)
  } finally {
    child.unref()
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
