import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const core = fileURLToPath(new URL('packages/core/src/', import.meta.url))

// What tests write is in one folder, which ends with the run. It is also the user's data folder,
// where files that are being written are noted (see temporary-file.ts).
const folder = mkdtempSync(join(tmpdir(), 'precis-test-'))
// A PostgreSQL does not run as root: another user has to get at its own folder in there.
chmodSync(folder, 0o711)
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

// A folder whose packages take the place of those that are installed here: the versions that "npm
// run test:peers" tries.
const { PEERS_FOLDER: peers } = process.env
const packagesOfPeers: Plugin = {
  name: 'packages-of-peers',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!peers || !importer || importer.includes('/node_modules/')) return undefined
    const name = /^(?:@[^/]+\/)?[a-z][^/:]*/.exec(source)?.[0]
    if (name === undefined || !existsSync(join(peers, 'node_modules', name))) return undefined
    return await this.resolve(source, join(peers, 'package.json'), { skipSelf: true })
  },
}

export default defineConfig(({ mode }) => ({
  plugins: [packagesOfPeers],
  resolve: {
    alias: [
      { find: /^@precis\/core$/, replacement: `${core}index.ts` },
      {
        find: /^@precis\/core\/(openai|anthropic|google|ai-sdk|langchain|tanstack-ai)$/,
        replacement: `${core}integrations/$1.ts`,
      },
      { find: /^@precis\/core\/tokens\/(o200k|cl100k)$/, replacement: `${core}tokens/$1.ts` },
      { find: /^@precis\/core\/(.+)$/, replacement: `${core}$1/index.ts` },
      {
        find: /^@precis\/chat$/,
        replacement: fileURLToPath(new URL('packages/chat/src/index.ts', import.meta.url)),
      },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'lab/**/*.test.ts', 'test/**/*.test.ts'],
    env: { TMPDIR: folder, XDG_DATA_HOME: folder },
    // Modules are loaded once in a worker: nothing in them remembers what a test did.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On a busy machine what comes soon comes late.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // Two lanes: "npm test", and "npm run test:slow", which is "--mode slow"; and what needs
    // programs of others.
    tagsFilter: [
      mode === 'agents' ? 'agents' : mode === 'slow' ? 'slow || property' : '!slow && !agents',
    ],
    provide: { isFastLane: mode !== 'slow' },
    setupFiles: ['test/property-runs.ts', 'test/vocabularies.ts'],
    tags: [
      {
        name: 'slow',
        description:
          'only in the slow lane: servers, browsers, screens, many processes, kills, recorded sessions, growth, and what takes more than 0.4 s',
        timeout: 240_000,
      },
      {
        name: 'agents',
        description: 'real coding agents, only with "npm run test:agents"',
        timeout: 1_800_000,
      },
      {
        name: 'property',
        description: 'in both lanes: with fewer runs in the fast one',
        timeout: 240_000,
      },
    ],
  },
}))
