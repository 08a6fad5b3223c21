import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const core = fileURLToPath(new URL('packages/core/src/', import.meta.url))

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
