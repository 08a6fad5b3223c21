/**
 * Files of this installation that other processes and agents start or load, by their place in the
 * package.
 */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

// Sources run in a checkout. Otherwise the files that `scripts/bundle.ts` makes of them run,
// wherever the bundle puts this code.
const isSource = import.meta.url.endsWith('.ts')
const code = isSource ? 'src' : 'dist'
const folder = import.meta.url.slice(0, import.meta.url.lastIndexOf(`/${code}/`) + 1)

/** The file that `node` runs as the command. */
export const commandFile = fileURLToPath(new URL('bin/precis.js', folder))

/** The clone that this installation runs from. Undefined for a copy of the package. */
export function findClone(): string | undefined {
  const clone = fileURLToPath(new URL('../..', folder)).replace(/[/\\]$/, '')
  return existsSync(join(clone, '.claude-plugin', 'marketplace.json')) ? clone : undefined
}

/** The address of a module that `scripts/bundle.ts` keeps as its own file, such as `cli/main`. */
export function findModuleUrl(name: string): string {
  return new URL(`${code}/${name}.${isSource ? 'ts' : 'js'}`, folder).href
}

/**
 * The very node and the very file that run now: nothing depends on a PATH or on a working
 * directory.
 */
export function findStartCommand() {
  return { program: process.execPath, words: [commandFile] }
}

// Folders into which npx, pnpm dlx and bunx unpack temporary packages.
const CACHES = ['_npx', 'dlx', 'bunx']

/** Whether the installation may be gone tomorrow. */
export function runsFromCache({ program, words }: ReturnType<typeof findStartCommand>): boolean {
  return [program, ...words].some((path) => {
    const folders = path.split(sep)
    return (
      path.startsWith(tmpdir() + sep) ||
      folders.some((folder) =>
        CACHES.some((cache) => folder === cache || folder.startsWith(`${cache}-`)),
      )
    )
  })
}
