/** The start of `precis`. What every run pays for is here; the rest is imported when it is needed. */
import { readFileSync } from 'node:fs'

const [first, ...others] = process.argv.slice(2)

if ((first === '--version' || first === '-V') && others.length === 0) {
  process.stdout.write(`${readVersion()}\n`)
} else {
  const { run } = await import('./run.ts')
  await run(process.argv.slice(2), readVersion())
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return manifest.version
}
