import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { spawn } from 'cross-spawn'
import { explainSystemError, systemErrorCode } from '../files/errors.ts'

// What opens a page comes back at once, or stays for as long as the browser does.
const MOST_WAIT_MS = 3000

/** Opens a file in the browser of the user. Gives in words why that was not possible; undefined when it was. */
export async function openPage(path: string): Promise<string | undefined> {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env
  const isDesktop = ['darwin', 'win32'].includes(process.platform) || [BROWSER, DISPLAY, WAYLAND_DISPLAY].some(Boolean)
  // Without a screen it would be a browser of text, in this terminal.
  if (!isDesktop) return 'there is no screen here'
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...words, path], { stdio: 'ignore', detached: true, windowsHide: true })
  try {
    const ended = once(child, 'exit').then(([code]) => (code === 0 ? undefined : `${program} failed`))
    return await Promise.race([ended, setTimeout(MOST_WAIT_MS, undefined, { ref: false })])
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? `there is no ${program} here` : explainSystemError(error)
  } finally {
    child.unref()
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
