/** The start of `precis`. What every run pays for is here; the rest is imported when it is needed. */
import { readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

const [, program, first, ...others] = process.argv

// Before anything is imported that looks for folders, and for the processes that are started.
ignoreRelativeFolders(process.env)

if ((first === '--version' || first === '-V') && others.length === 0) {
  process.stdout.write(`${readVersion()}\n`)
} else if (first === 'mcp' && others.length === 0 && program !== undefined) {
  const { startServer } = await import('./start-mcp-server.ts')
  await startServer(program, readVersion())
} else {
  const { runProcess } = await import('./run.ts')
  await runProcess(process.argv.slice(2), readVersion())
}

/** Below a relative folder everything would be read from, and written to, wherever the command happens to run. */
function ignoreRelativeFolders(environment: NodeJS.ProcessEnv): void {
  // The XDG Base Directory Specification: "consider the path invalid and ignore it".
  for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) {
    if (!isAbsolute(environment[name] ?? '')) delete environment[name]
  }
  const home = [homedir, () => userInfo().homedir].map(readFolder).find(isAbsolute)
  if (home === undefined) {
    process.stderr.write(
      `precis: Looking for the home folder: HOME is "${environment.HOME ?? ''}", and the system knows no other. Set HOME to an absolute path.\n`,
    )
    // An agent goes on whatever its hook says, unless that fails.
    process.exit(first === 'hook' ? 0 : 2)
  }
  if (readFolder(homedir) !== home) environment.HOME = home
}

/** Empty for a user that the system does not know. */
function readFolder(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return manifest.version
}
