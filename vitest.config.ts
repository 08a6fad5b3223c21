import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const core = fileURLToPath(new URL('packages/core/src/', import.meta.url))

// What a test writes is noted in the user's data folder (see temporary-file.ts), which has to be another than that of the user.
const data = mkdtempSync(join(tmpdir(), 'precis-test-data-'))
process.once('exit', () => rmSync(data, { recursive: true, force: true }))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@precis\/core$/, replacement: `${core}index.ts` },
      {
        find: /^@precis\/core\/(openai|anthropic|google|ai-sdk|langchain)$/,
        replacement: `${core}integrations/$1.ts`,
      },
      { find: /^@precis\/core\/(.+)$/, replacement: `${core}$1/index.ts` },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    env: { XDG_DATA_HOME: data },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: '100%',
    tags: [
      {
        name: 'slow',
        description: 'left to "npm run test:slow": servers, browsers, screens, many processes, kills, long properties',
        timeout: 240_000,
      },
    ],
  },
})
