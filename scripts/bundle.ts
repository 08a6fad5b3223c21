/**
 * Bundles the command into few files that start fast: `packages/precis/dist`.
 *
 * Code that only some commands load stays in chunks of its own. Dependencies stay packages; of the large libraries among the
 * development dependencies the parts in use are bundled. The vocabularies become data, read when something is counted with them.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { isolatedDeclaration } from 'rolldown/experimental'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'packages/precis/src')
const target = join(root, 'packages/precis/dist')
const core = join(root, 'packages/core/src')

/** Files that something else than the command loads: other processes, agents, and programs. */
const ENTRIES = [
  'cli/main',
  'cli/mcp-worker',
  'compression/run-job',
  'gateway/decide',
  'agents/opencode/plugin',
  'agents/pi/extension',
  'archive/open-store',
]

const manifest: { dependencies: Record<string, string>; peerDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'packages/precis/package.json'), 'utf8'),
)
// Of core, which a program has beside this one, only types are shared.
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
  (name) => name !== '@precis/core',
)

/** A packed vocabulary is a module of one function that gives a text. */
const vocabularies: Plugin = {
  name: 'vocabularies',
  async load(id) {
    const name = /([a-z0-9]+)\.packed\.js$/.exec(id)?.[1]
    if (name === undefined) return undefined
    const module: Record<string, () => string> = await import(id)
    const [[exported, read] = []] = Object.entries(module)
    if (exported === undefined || read === undefined) throw new Error(`Bundling: ${basename(id)} exports nothing.`)
    const file = this.emitFile({ type: 'asset', fileName: `vocabularies/${name}.txt`, source: read() })
    return `import { readFileSync } from 'node:fs'
      export const ${exported} = () => readFileSync(new URL(import.meta.ROLLUP_FILE_URL_${file}), 'latin1')`
  },
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const bundle = await rolldown({
  input: Object.fromEntries(ENTRIES.map((name) => [name, join(source, `${name}.ts`)])),
  platform: 'node',
  external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: {
    alias: { '@precis/core': core },
    // The other build of jsonc-parser requires its files by names that no bundler sees.
    mainFields: ['module', 'main'],
  },
  plugins: [vocabularies],
})
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  sourcemap: true,
  // Read at each start. Functions keep their names, for the stack of an error.
  minify: { mangle: { toplevel: false }, compress: false, codegen: { removeWhitespace: true } },
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // One file is read faster than forty. A group takes along what its modules import, unless an earlier group has it.
  codeSplitting: {
    groups: [
      { name: 'base', test: /(?:secrets\/redact-secrets|files\/installed-files)\.ts$/ },
      { name: 'lines', test: /files\/lines\.ts$/ },
      { name: 'command', test: /cli\/(?:run|program)\.ts$/ },
      { name: 'sessions', test: /cli\/answer-hook\.ts$/ },
      { name: 'engine', test: /cli\/compress\.ts$/ },
    ],
  },
})
await bundle.close()

const publicFile = 'archive/open-store.ts'
const { code: declared, errors } = await isolatedDeclaration(publicFile, readFileSync(join(source, publicFile), 'utf8'))
if (errors.length > 0) throw new Error(`Writing the types of ${publicFile}: ${errors.map(String).join(', ')}.`)
writeFileSync(join(target, publicFile.replace(/\.ts$/, '.d.ts')), declared)

const bin = join(root, 'packages/precis/bin/precis.js')
const { FORCE_COLOR: _, ...environment } = process.env
writeFileSync(join(target, 'plain-help.txt'), execFileSync(process.execPath, [bin, '--help'], { env: environment }))

/** Licences ask that they are passed on with the code: those of all packages that were bundled. */
const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
const bundled = new Set(modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
const licences = new Set([...bundled].sort().map(renderLicence))
writeFileSync(join(target, 'third-party-licenses.txt'), [...licences].join('\n\n'))

function renderLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version}\n\n${text}\n`
}
