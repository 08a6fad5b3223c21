/** The start of `precis`. What every run pays for is here; the rest is imported when it is needed. */
import { readFileSync } from 'node:fs'

const [, program, first, ...others] = process.argv

if ((first === '--version' || first === '-V') && others.length === 0) {
  process.stdout.write(`${readVersion()}\n`)
} else if (first === 'mcp' && others.length === 0 && program !== undefined) {
  const { startServer } = await import('./start-mcp-server.ts')
  await startServer(program, readVersion())
} else {
  const { runProcess } = await import('./run.ts')
  await runProcess(process.argv.slice(2), readVersion())
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return manifest.version
}
