import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type OutputChunk, rolldown } from 'rolldown'
import { expect, test } from 'vitest'

const MOST_GZIP_BYTES = 121_500
const ENTRY = 'entry.js'
const core = fileURLToPath(new URL('../packages/core/src/', import.meta.url))

/**
 * What a host has to load before its first line runs: the chunk of its code and all that it imports
 * at once.
 */
async function measureStart(code: string): Promise<{ bytes: number; modules: readonly string[] }> {
  const bundle = await rolldown({
    input: ENTRY,
    plugins: [
      {
        name: 'host',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
    resolve: {
      alias: { '@precis/core/tokens': `${core}tokens`, '@precis/core': `${core}index.ts` },
    },
    // As package.json says it.
    treeshake: {
      moduleSideEffects: [
        { test: /tokens\/(o200k|cl100k)\.ts$/, sideEffects: true },
        { test: /./, sideEffects: false },
      ],
    },
  })
  const { output } = await bundle.generate({ minify: true })
  const chunks = new Map(
    output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk] as const] : [])),
  )
  const atOnce = new Set<OutputChunk>()
  const add = (chunk: OutputChunk | undefined) => {
    if (!chunk || atOnce.has(chunk)) return
    atOnce.add(chunk)
    for (const name of chunk.imports) add(chunks.get(name))
  }
  add([...chunks.values()].find(({ isEntry }) => isEntry))
  const loaded = [...atOnce]
  return {
    bytes: loaded.reduce((sum, chunk) => sum + gzipSync(chunk.code).length, 0),
    modules: loaded.flatMap(({ moduleIds }) => moduleIds),
  }
}

test('a context is at most 121.5 kB to load, without the engine and the vocabularies', async () => {
  const { bytes, modules } = await measureStart(`export { createContext } from '@precis/core'`)
  expect(bytes).toBeLessThan(MOST_GZIP_BYTES)
  expect(bytes).toBeGreaterThan(MOST_GZIP_BYTES / 4)
  expect(modules.filter((id) => id.endsWith('.packed.js'))).toEqual([])
})

test('a vocabulary that is imported is there at once', async () => {
  const { modules } = await measureStart(
    `import '@precis/core/tokens/o200k'\nexport { createContext } from '@precis/core'`,
  )
  expect(modules.some((id) => id.endsWith('o200k.packed.js'))).toBe(true)
  expect(modules.some((id) => id.endsWith('cl100k.packed.js'))).toBe(false)
})
