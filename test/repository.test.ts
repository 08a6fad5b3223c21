import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { auto, digest, strategies } from '@precis/core'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { buildLibraryPages } from '../scripts/build-library-docs.ts'
import { findAll, readProperty, readSources, root, type Source } from './sources.ts'

const core = readSources('packages/core/src')
const chat = readSources('packages/chat/src')
const command = readSources('packages/precis/src')
const sources = [...core, ...chat, ...command]
const everything = [...sources, ...readSources('lab')]

type Layers = Readonly<Record<string, readonly string[]>>

/** Folder of core -> the folders it may know. Arrows point inward; a plug-in never imports a sibling family. */
const CORE_LAYERS: Layers = {
  conversation: [],
  models: ['conversation'],
  tokens: ['conversation', 'models'],
  formats: ['conversation'],
  secrets: [],
  text: [],
  facts: ['conversation', 'secrets', 'text'],
  strategies: ['conversation', 'facts', 'secrets', 'text'],
  summarizers: ['conversation', 'secrets', 'facts'],
  digest: ['conversation', 'secrets', 'facts', 'summarizers'],
  engine: ['conversation', 'models', 'tokens', 'formats', 'secrets', 'facts', 'strategies', 'summarizers', 'digest'],
  context: ['conversation', 'models', 'tokens', 'formats', 'text', 'strategies', 'summarizers', 'digest', 'engine'],
  apis: ['formats', 'context'],
  integrations: ['apis', 'conversation', 'models', 'tokens', 'formats', 'secrets', 'summarizers', 'digest', 'context'],
}

/** The same of the command. Files that lie in no folder are for all. */
const COMMAND_LAYERS: Layers = {
  configuration: ['files'],
  database: ['files'],
  files: [],
  agents: ['database', 'files'],
  sessions: ['agents', 'files'],
  installation: ['agents', 'files'],
  terminal: ['files', 'sessions'],
  'language-models': ['configuration', 'files'],
  archive: ['agents', 'configuration', 'database', 'files', 'sessions'],
  mcp: ['agents', 'archive', 'configuration', 'database', 'files', 'sessions'],
  compression: [
    'agents',
    'archive',
    'configuration',
    'database',
    'files',
    'installation',
    'language-models',
    'sessions',
    'terminal',
  ],
  queue: ['agents', 'archive', 'compression', 'configuration', 'database', 'files', 'installation', 'sessions'],
  replay: ['agents', 'files', 'sessions', 'terminal'],
  pages: ['agents', 'archive', 'files', 'replay', 'sessions', 'terminal'],
  gateway: [
    'agents',
    'archive',
    'compression',
    'configuration',
    'database',
    'files',
    'installation',
    'pages',
    'sessions',
    'terminal',
  ],
  cli: [
    'agents',
    'archive',
    'compression',
    'configuration',
    'database',
    'files',
    'gateway',
    'installation',
    'language-models',
    'mcp',
    'pages',
    'queue',
    'replay',
    'sessions',
    'terminal',
  ],
}

/** The same of the chat. */
const CHAT_LAYERS: Layers = {
  contract: [],
  demo: [],
  models: ['contract', 'demo'],
  history: ['contract'],
  tools: ['contract'],
  turn: ['contract', 'history', 'models', 'tools'],
  agent: ['contract', 'history', 'models', 'tools', 'turn'],
  rendering: ['contract'],
  commands: ['contract', 'rendering'],
  screen: ['commands', 'contract', 'rendering'],
}

/** Undefined for a package, and for a file that lies in no folder. */
const folderOf = (path: string) => path.split('/').slice(3, -1)[0]

const sharesPackage = (a: string, b: string) => a.split('/')[1] === b.split('/')[1]

describe('the folder list is the architecture', () => {
  test.each([
    ['core', core, CORE_LAYERS],
    ['the chat', chat, CHAT_LAYERS],
    ['the command', command, COMMAND_LAYERS],
  ] as const)('every folder of %s imports inward only', (_, files, layers) => {
    const outward = files.flatMap(({ path, imports }) => {
      const folder = folderOf(path)
      if (folder === undefined) return []
      const allowed = [undefined, folder, ...(layers[folder] ?? [])]
      const own = imports.filter((name) => name.startsWith('packages/') && !allowed.includes(folderOf(name)))
      return own.map((name) => `${path}: ${name}`)
    })
    expect(outward).toEqual([])
  })

  test('the root of core has at most 70 names; the rest is in its sub-paths', () => {
    const root = core.find(({ path }) => path === 'packages/core/src/index.ts')
    expect(root?.exports.length).toBeGreaterThan(0)
    expect(root?.exports.length).toBeLessThanOrEqual(70)
  })

  test('core imports no package and no host module, but the SDK that a model is of', () => {
    const foreign = core.flatMap(({ path, imports }) =>
      imports.filter((name) => !name.startsWith('packages/core/src/')).map((name) => `${path}: ${name}`),
    )
    expect(foreign).toEqual(['packages/core/src/integrations/ai-sdk.ts: ai'])
  })

  test('the chat knows core, and nothing else of precis', () => {
    const others = chat.flatMap(({ path, imports }) =>
      imports
        .filter((name) => /^(?:@precis\/(?!core(?:\/|$))|precis(?:\/|$))/.test(name))
        .map((name) => `${path}: ${name}`),
    )
    expect(others).toEqual([])
  })

  test('core reads no clock, no randomness and no host', () => {
    // All of them can be replaced by the host: "clock", "hash" and "onProblem"; when others have their turn changes no result.
    const allowed = new Map([
      ['packages/core/src/context/live-state.ts', ['Date']],
      ['packages/core/src/context/list-chain.ts', ['crypto']],
      ['packages/core/src/conversation/steps.ts', ['Date', 'setTimeout']],
      ['packages/core/src/integrations/followed-calls.ts', ['console']],
    ])
    const impure = ['Date', 'performance', 'process', 'fetch', 'console', 'setTimeout', 'setInterval', 'crypto']
    const found = core.flatMap(({ path, tree }) => {
      const names = findAll(tree, 'Identifier').map((node) => String(readProperty(node, 'name')))
      const random = findAll(tree, 'MemberExpression').filter(
        (node) =>
          readProperty(node, 'object', 'name') === 'Math' && readProperty(node, 'property', 'name') === 'random',
      )
      return [
        ...names.filter((name) => impure.includes(name) && !allowed.get(path)?.includes(name)),
        ...random.map(() => 'Math.random'),
      ].map((name) => `${path}: ${name}`)
    })
    expect(found).toEqual([])
  })

  test('the command and the chat know core, and each other, only through public entry points', () => {
    const inner = [...command, ...chat].flatMap(({ path, imports }) =>
      imports
        .filter((name) => /(?:core|chat|precis)\/(?:src|dist)/.test(name) && !sharesPackage(path, name))
        .map((name) => `${path}: ${name}`),
    )
    expect(inner).toEqual([])
  })

  test('the command is installed without the chat and the library of its screen', () => {
    const text = readFileSync(resolve(root, 'packages/precis/package.json'), 'utf8')
    const { dependencies, optionalDependencies = {}, peerDependenciesMeta } = JSON.parse(text)
    const installed = Object.keys({ ...dependencies, ...optionalDependencies })
    expect(installed).not.toContain('@precis/chat')
    expect(installed).not.toContain('@mariozechner/pi-tui')
    expect(peerDependenciesMeta['@precis/chat']).toEqual({ optional: true })
  })

  test('nothing that is published imports the laboratory', () => {
    const strays = sources.flatMap(({ path, imports }) =>
      imports.filter((name) => name.startsWith('lab/')).map((name) => `${path}: ${name}`),
    )
    expect(strays).toEqual([])
  })

  test('what counts at once in the command has the vocabularies loaded', () => {
    const vocabularies = ['cl100k', 'o200k'].map((name) => `import '@precis/core/tokens/${name}'`)
    const unsure = command.filter(({ path }) => {
      const text = readFileSync(`${root}${path}`, 'utf8')
      return text.includes('createTokenCounter(') && !vocabularies.every((line) => text.includes(line))
    })
    expect(unsure.map(({ path }) => path)).toEqual([])
  })

  test('no import runs in a circle, types included: neither of files nor of folders', () => {
    expect(findCycle(everything)).toBeUndefined()
    expect(findCycle(asFolders(sources))).toBeUndefined()
  })
})

describe('a contract a folder, and a helper with its only caller until it has two', () => {
  const code = sources.filter(({ path }) => !path.endsWith('.data.ts'))
  const sizes = code.map(({ lines }) => lines).sort((a, b) => a - b)

  test('at most 6 % of the files have less than 25 lines', () => {
    expect(sizes.filter((lines) => lines < 25).length / sizes.length).toBeLessThanOrEqual(0.06)
  })

  test('half of the files have at most 130 lines and none more than 320, a contract 350', () => {
    const median = sizes[sizes.length >> 1] ?? 0
    expect(median).toBeGreaterThanOrEqual(90)
    expect(median).toBeLessThanOrEqual(130)
    const most = (path: string) => (isContract(path) ? 350 : 320)
    expect(code.filter(({ path, lines }) => lines > most(path)).map(({ path }) => path)).toEqual([])
  })

  test('at most a quarter of the files have one importer, those apart that a list of plug-ins names', () => {
    const importers = new Map<string, string[]>()
    for (const { path, imports } of sources) {
      for (const name of imports) importers.set(name, [...(importers.get(name) ?? []), path])
    }
    const isPlugin = (importer: string) => ['index.ts', 'program.ts'].includes(basename(importer))
    const alone = sources.filter(({ path }) => {
      const [importer, ...others] = importers.get(path) ?? []
      return importer !== undefined && others.length === 0 && !isPlugin(importer)
    })
    expect(alone.length / sources.length).toBeLessThanOrEqual(0.25)
  })
})

describe('names', () => {
  test('files are named in kebab-case', () => {
    expect(
      everything
        .map((source) => basename(source.path))
        .filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.ts$/.test(name)),
    ).toEqual([])
  })

  test('a file exports what it is named after', () => {
    const strangers = sources.filter(({ path, exports }) => {
      const name = basename(path, '.ts')
      if (name === 'index' || name === 'main' || name.includes('.')) return false
      const subject = name.split('-').at(-1)!.replace(/s$/, '')
      return !exports.some((exported) => exported.toLowerCase().includes(subject))
    })
    expect(strangers.map((source) => `${source.path}: ${source.exports.join(', ')}`)).toEqual([])
  })

  test.each([
    ['strategies', [auto.name, ...Object.keys(strategies)]],
    ['formats', Object.keys(formats)],
    ['summarizers', [digest().name, 'model']],
    ['integrations', ['ai-sdk', 'anthropic', 'google', 'langchain', 'openai']],
    [
      'commands',
      [
        'advise',
        'archive',
        'chat',
        'check',
        'clone',
        'compress',
        'diff',
        'explain',
        'hook',
        'inspect',
        'install',
        'mcp',
        'overview',
        'recall',
        'replay',
        'restore',
        'serve',
        'sessions',
        'undo',
        'uninstall',
        'worker',
        'wrap',
      ],
    ],
  ])('every plug-in of %s has a docs page', (family, plugins) => {
    expect(plugins.filter((name) => !existsSync(resolve(root, 'docs', family, `${name}.md`)))).toEqual([])
  })

  test.each([
    ['strategies', strategies, (name: string) => `${name}.ts`],
    ['formats', formats, (name: string) => `${name}/${name}.ts`],
  ])('every one of %s is listed under its own name, which is the name of its file', (family, listed, fileOf) => {
    for (const [name, plugin] of Object.entries<{ name: string }>(listed)) {
      expect(plugin.name).toBe(name)
      expect(core.map(({ path }) => path)).toContain(`packages/core/src/${family}/${fileOf(name)}`)
    }
  })

  test('the reference says what the doc comments say; npm run build && npx tsx scripts/build-library-docs.ts writes it', () => {
    for (const { path, current, built } of buildLibraryPages()) expect(current, path).toBe(built)
  })

  test('words that say nothing are not used as names', () => {
    const empty = /(^|-)(util|utils|helper|helpers|common|manager|misc|legacy|v2)(-|$)/
    expect(everything.map((source) => basename(source.path, '.ts')).filter((name) => empty.test(name))).toEqual([])
  })
})

describe('types', () => {
  test('nothing is any', () => {
    expect(everything.filter(({ tree }) => findAll(tree, 'TSAnyKeyword').length > 0).map(({ path }) => path)).toEqual(
      [],
    )
  })

  test('nothing is a default export', () => {
    expect(everything.filter(({ exports }) => exports.includes('default')).map(({ path }) => path)).toEqual([])
  })
})

/** A contract has the name of its folder, in the singular: `agents/ground/agent.ts`, `context/context.ts`. */
function isContract(path: string): boolean {
  const [file, folder, above] = path.split('/').reverse()
  return [folder, above].some((name) => name?.startsWith(basename(file ?? '', '.ts')))
}

/** The same graph one floor up: what the files of a folder import from others. */
function asFolders(all: readonly Source[]): Pick<Source, 'path' | 'imports'>[] {
  const known = new Set(all.map(({ path }) => path))
  const folders = new Map<string, Set<string>>()
  for (const { path, imports } of all) {
    const outside = imports
      .filter((name) => known.has(name) && dirname(name) !== dirname(path))
      .map((name) => dirname(name))
    folders.set(dirname(path), new Set([...(folders.get(dirname(path)) ?? []), ...outside]))
  }
  return [...folders].map(([path, imports]) => ({ path, imports: [...imports] }))
}

/** The first circle of imports that is found, as the paths along it. */
function findCycle(all: readonly Pick<Source, 'path' | 'imports'>[]): string[] | undefined {
  const byPath = new Map(all.map((source) => [source.path, source]))
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const next of byPath.get(path)?.imports ?? []) {
      const cycle = visit(next, [...trail, path])
      if (cycle) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const { path } of all) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return undefined
}
