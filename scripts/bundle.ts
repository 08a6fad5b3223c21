/**
 * Bundles the command and its chat into few files that start fast and bring few packages: `dist` of
 * both, or of the one that is named.
 *
 * Code that only some commands load stays in chunks of its own. Dependencies stay packages; of the
 * libraries among the development dependencies the parts in use are bundled. The vocabularies
 * become data, read when something is counted with them.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { isolatedDeclaration } from 'rolldown/experimental'

const root = resolve(import.meta.dirname, '..')
const core = join(root, 'packages/core/src')

interface Bundle {
  /**
   * Files below `src` that something else than the package loads: hosts, other processes, agents,
   * programs.
   */
  readonly entries: readonly string[]
  /** The one of them that has types for programs. */
  readonly typed?: string
  /** One that shares no chunk: what starts it waits for nothing else to be read. */
  readonly alone?: string
  readonly codeSplitting?: OutputOptions['codeSplitting']
}

const BUNDLES: Readonly<Record<string, Bundle>> = {
  chat: { entries: ['index'] },
  precis: {
    entries: [
      'cli/main',
      'mcp/worker',
      'sessions/read-packed-facts',
      'compression/run-job',
      'gateway/decide',
      'agents/opencode/plugin',
      'agents/pi/extension',
      'archive/open-store',
    ],
    typed: 'archive/open-store',
    alone: 'agents/claude-code/print-statusline',
    // One file is read faster than forty. A group takes along what its modules import, unless an
    // earlier group has it.
    codeSplitting: {
      groups: [
        { name: 'base', test: /(?:secrets\/index|files\/installed-files)\.ts$/ },
        { name: 'lines', test: /files\/lines\.ts$/ },
        { name: 'command', test: /cli\/(?:run|program)\.ts$/ },
        { name: 'sessions', test: /compression\/answer-hook\.ts$/ },
        { name: 'engine', test: /compression\/compress-named\.ts$/ },
      ],
    },
  },
}

/** Loaded by bundled libraries where it is there, and missed nowhere else. */
const OPTIONAL = ['koffi', 'pg-native']

/** A packed vocabulary is a module of one function that gives bytes. */
const vocabularies: Plugin = {
  name: 'vocabularies',
  async load(id) {
    const name = /([a-z0-9]+)\.packed\.js$/.exec(id)?.[1]
    if (name === undefined) return undefined
    const module: Record<string, () => Uint8Array> = await import(id)
    const [[exported, read] = []] = Object.entries(module)
    if (exported === undefined || read === undefined)
      throw new Error(`Bundling: ${basename(id)} exports nothing.`)
    const file = this.emitFile({
      type: 'asset',
      fileName: `vocabularies/${name}.txt`,
      source: read(),
    })
    return `import { readFileSync } from 'node:fs'
      export const ${exported} = () => readFileSync(new URL(import.meta.ROLLUP_FILE_URL_${file}))`
  },
}

// Read at each start. Functions keep their names, for the stack of an error.
const MINIFY = { mangle: { toplevel: false }, compress: false, codegen: { removeWhitespace: true } }

const named = process.argv.slice(2)
for (const name of named.length > 0 ? named : Object.keys(BUNDLES)) await bundlePackage(name)

async function bundlePackage(name: string): Promise<void> {
  const { entries, codeSplitting, typed, alone } =
    BUNDLES[name] ?? fail(`Bundling: there is no package "${name}" to bundle.`)
  const folder = join(root, 'packages', name)
  const target = join(folder, 'dist')
  const manifest: { dependencies?: object; peerDependencies?: object } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  // Of core, which a program has beside this one, only types are shared.
  const packages = [
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    ...OPTIONAL,
  ].filter((dependency) => dependency !== '@precis/core')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, 'src', `${entry}.ts`)])),
    platform: 'node',
    external: (id) =>
      packages.some((dependency) => id === dependency || id.startsWith(`${dependency}/`)),
    resolve: {
      alias: { '@precis/core': core },
      // The other build of jsonc-parser requires its files by names that no bundler sees.
      mainFields: ['module', 'main'],
    },
    plugins: [vocabularies],
    // A context loads the engine late. The command needs both at once.
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    // For tests and profiles in the repository; packages do without.
    sourcemap: 'hidden',
    minify: MINIFY,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting,
  })
  await bundle.close()
  // Licences ask that they are passed on with the code: those of all packages that were bundled.
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []))
  const bundled = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  )
  const licences = new Set([...bundled].sort().map(renderLicence))
  writeFileSync(join(target, 'third-party-licenses.txt'), [...licences].join('\n\n'))
  if (alone !== undefined) await bundleAlone(folder, alone)
  if (typed !== undefined) await writeTypes(folder, typed)
  if (name === 'precis') writePlainHelp(folder)
}

async function bundleAlone(folder: string, entry: string): Promise<void> {
  const bundle = await rolldown({
    input: { [entry]: join(folder, 'src', `${entry}.ts`) },
    platform: 'node',
    resolve: { alias: { '@precis/core': core } },
  })
  await bundle.write({
    dir: join(folder, 'dist'),
    format: 'esm',
    minify: MINIFY,
    entryFileNames: '[name].js',
    codeSplitting: false,
  })
  await bundle.close()
}

async function writeTypes(folder: string, entry: string): Promise<void> {
  const source = join(folder, 'src', `${entry}.ts`)
  const { code, errors } = await isolatedDeclaration(source, readFileSync(source, 'utf8'))
  if (errors.length > 0)
    throw new Error(`Writing the types of "${source}": ${errors.map(String).join(', ')}.`)
  writeFileSync(join(folder, 'dist', `${entry}.d.ts`), code)
}

function writePlainHelp(folder: string): void {
  const { FORCE_COLOR: _, ...environment } = process.env
  const help = execFileSync(process.execPath, [join(folder, 'bin/precis.js'), '--help'], {
    env: environment,
  })
  writeFileSync(join(folder, 'dist/plain-help.txt'), help)
}

function renderLicence(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version}\n\n${text}\n`
}

function fail(message: string): never {
  throw new Error(message)
}
