import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compare, fastest, type Row } from './measure.ts'

const command = fileURLToPath(new URL('../packages/precis/bin/precis.js', import.meta.url))

export async function measureStartUp(): Promise<Row[]> {
  const start = (...argument: string[]) => fastest(15, () => spawnSync(process.execPath, argument))
  const bare = await start('-e', '0')
  const version = await start(command, '--version')
  return [compare(`\`precis --version\` over \`node -e 0\` (${bare.toFixed(0)} ms)`, version / bare, 2.5)]
}
