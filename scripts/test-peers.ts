/**
 * Runs the conformance suites of clients and frameworks with other versions of them than those
 * installed here: the oldest and the newest of every peer range of core. Each set is installed in a
 * folder of its own. Both lanes of them run. Takes minutes, and npm.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What tests need beside a peer, by the major version of that. */
const COMPANIONS: Readonly<Record<string, Readonly<Record<number, readonly string[]>>>> = {
  ai: {
    6: ['@ai-sdk/openai@^3', '@ai-sdk/anthropic@^3', '@ai-sdk/google@^3'],
    7: ['@ai-sdk/openai@^4', '@ai-sdk/anthropic@^4', '@ai-sdk/google@^4'],
  },
  '@tanstack/ai': { 0: ['@tanstack/ai-openai', '@tanstack/ai-anthropic'] },
  langchain: { 1: ['@langchain/openai@^1', '@langchain/core@^1', '@langchain/langgraph@^1'] },
}

const SETS = ['oldest', 'newest'] as const
const SUITES = ['test/integrations', 'packages/core/src/integrations']

type PeerVersions = Readonly<Record<(typeof SETS)[number], string>>

function run(
  command: string,
  args: readonly string[],
  options: Parameters<typeof spawnSync>[2] = {},
): string {
  const { status, stdout, error } = spawnSync(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  })
  if (status === 0) return String(stdout ?? '')
  throw new Error(`Testing peers: "${command} ${args.join(' ')}" ended with ${status ?? error}.`)
}

/** Versions that are no release are left out. */
function listVersions(name: string, range: string): readonly string[] {
  const found: unknown = JSON.parse(run('npm', ['view', `${name}@${range}`, 'version', '--json']))
  const versions = (Array.isArray(found) ? found : [found]).filter((version) =>
    /^\d+\.\d+\.\d+$/.test(String(version)),
  )
  return versions.map(String).sort(compareVersions)
}

function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split('.').map(Number))
  const at = a?.findIndex((number, index) => number !== b?.[index]) ?? -1
  return at < 0 ? 0 : (a?.[at] ?? 0) - (b?.[at] ?? 0)
}

const readMajor = (version: string): number => Number(version.split('.')[0])

function chooseVersions(name: string, range: string): PeerVersions {
  const versions = listVersions(name, range)
  const newest = versions.at(-1)
  const oldest = versions[0]
  if (newest === undefined || oldest === undefined)
    throw new Error(`Testing peers: npm has no ${name}@${range}.`)
  return { oldest, newest }
}

/** Throws where something else was installed than was asked for. */
function install(folder: string, wanted: readonly (readonly [string, string])[]): void {
  const companions = wanted.flatMap(
    ([name, version]) => COMPANIONS[name]?.[readMajor(version)] ?? [],
  )
  const packages = [...wanted.map(([name, version]) => `${name}@${version}`), ...companions]
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const flags = [
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  run('npm', ['install', ...flags, ...packages], { cwd: folder })
  for (const [name, version] of wanted) {
    const { version: installed } = JSON.parse(
      readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
    )
    if (installed !== version)
      throw new Error(`Testing peers: npm installed ${name} ${installed} instead of ${version}.`)
  }
  process.stdout.write(`${packages.join(' ')}\n`)
}

const { peerDependencies } = JSON.parse(readFileSync('packages/core/package.json', 'utf8'))
const peers = Object.entries<string>(peerDependencies).map(
  ([name, range]) => [name, chooseVersions(name, range)] as const,
)
const failed: string[] = []
for (const set of SETS) {
  const folder = mkdtempSync(join(tmpdir(), `precis-peers-${set}-`))
  try {
    process.stdout.write(`\nThe ${set} of every peer range:\n`)
    install(
      folder,
      peers.map(([name, versions]) => [name, versions[set]] as const),
    )
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...SUITES]
    const env = { ...process.env, PEERS_FOLDER: folder }
    const lanes = [vitest, [...vitest, '--mode', 'slow']].map(
      (words) => spawnSync(process.execPath, words, { stdio: 'inherit', env }).status,
    )
    if (lanes.some((status) => status !== 0)) failed.push(set)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
if (failed.length > 0)
  throw new Error(
    `Testing peers: the suites fail with the ${failed.join(' and the ')} of the peers.`,
  )
