/** The start of `precis`. Contains only what every run needs. The rest is imported on demand. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute } from 'node:path'

const [, , first, ...others] = process.argv

/**
 * The text that `--help` prints into a pipe, for scripts and agents. `scripts/bundle.ts` generates
 * it with this command.
 */
const PLAIN_HELP = new URL('../plain-help.txt', import.meta.url)

// Runs before any import that looks for folders, and applies to child processes too.
ignoreRelativeFolders(process.env)

if ((first === '--version' || first === '-V') && others.length === 0) {
  process.stdout.write(`${readVersion()}\n`)
} else if (first === 'mcp' && others.length === 0) {
  const { startServer } = await import('../mcp/start-server.ts')
  await startServer(readVersion())
} else if (first === 'hook' && isUsualHook(others)) {
  // An agent that reads no answer is not a failure.
  process.stdout.on('error', () => process.exit(0))
  await optimizeLater()
  const { runHook } = await import('./hook.ts')
  await runHook(others[0] ?? '', { isPlugin: others.length > 1 })
} else if (first === '--help' && others.length === 0 && hasPlainHelp()) {
  process.stdout.write(readFileSync(PLAIN_HELP))
} else {
  await optimizeLater()
  const { runProcess } = await import('./run.ts')
  const { createProgram } = await import('./program.ts')
  await runProcess(process.argv.slice(2), (terminal) =>
    createProgram(terminal, readVersion(), first ?? ''),
  )
}

/**
 * A short run spends a third of its processor time on optimizing code that it is soon done with. V8
 * of Node 20 begins after 67,584 bytes of bytecode in a function, and from Node 22 on by itself much
 * later. With sixteen times as many, a session of 4 MB is compressed in a fifth less time too.
 */
async function optimizeLater(): Promise<void> {
  if (!process.version.startsWith('v20.')) return
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--interrupt-budget=1081344')
}

/** `claude-code`, `claude-code --plugin`: the form in which agents call it. */
function isUsualHook([agent = '-', flag, ...more]: readonly string[]): boolean {
  return !agent.startsWith('-') && (flag === undefined || flag === '--plugin') && more.length === 0
}

/** A relative folder would be read and written in whatever folder the command runs. */
function ignoreRelativeFolders(environment: NodeJS.ProcessEnv): void {
  // The XDG Base Directory Specification: "consider the path invalid and ignore it".
  for (const name of ['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']) {
    if (!isAbsolute(environment[name] ?? '')) delete environment[name]
  }
  const home = [homedir, () => userInfo().homedir].map(readFolder).find(isAbsolute)
  if (home === undefined) {
    process.stderr.write(
      `precis: Looking for the home folder: HOME is "${environment.HOME ?? ''}", and the system has no other. Set HOME to an absolute path.\n`,
    )
    // A hook that fails could stop its agent.
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

function hasPlainHelp(): boolean {
  return !process.stdout.isTTY && process.env.FORCE_COLOR === undefined && existsSync(PLAIN_HELP)
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}
