/** How an agent starts this installation of precis, and how a command of any installation is recognised. */
import { tmpdir } from 'node:os'
import { basename, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StartCommand } from './integration.ts'

/** The very node and the very file that run now: nothing depends on a PATH or on a working directory. */
export function findStartCommand(): StartCommand {
  return { program: process.execPath, words: [fileURLToPath(new URL('../../bin/precis.js', import.meta.url))] }
}

// Where npx, pnpm dlx and bunx unpack what they run once.
const CACHES = ['_npx', 'dlx', 'bunx']

/** Whether the installation may be gone tomorrow. */
export function isTemporary({ program, words }: StartCommand): boolean {
  return [program, ...words].some((path) => {
    const folders = path.split(sep)
    return (
      path.startsWith(tmpdir() + sep) ||
      folders.some((folder) => CACHES.some((cache) => folder === cache || folder.startsWith(`${cache}-`)))
    )
  })
}

const OWN_FILE = /^precis(?:\.js|\.cmd|\.exe)?$/

/** `… precis.js mcp`, whatever stands before. */
export function isOwnCommand(words: readonly unknown[], subcommand: string): boolean {
  const at = words.findIndex((word) => typeof word === 'string' && OWN_FILE.test(basename(word.replaceAll('\\', '/'))))
  return at >= 0 && words[at + 1] === subcommand
}

const OWN_HOOK = /[\\/ "']precis(?:\.js|\.cmd|\.exe)?["']? hook [a-z-]+$/

/** The same, as one line of a shell. */
export function isOwnHookLine(line: unknown): boolean {
  return typeof line === 'string' && OWN_HOOK.test(` ${line}`)
}

const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** One line for the shell of this platform. */
export function renderShellLine({ program, words }: StartCommand, more: readonly string[]): string {
  const quote = process.platform === 'win32' ? (word: string) => `"${word}"` : quotePosix
  return [program, ...words, ...more].map((word) => (PLAIN_WORD.test(word) ? word : quote(word))).join(' ')
}

function quotePosix(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
