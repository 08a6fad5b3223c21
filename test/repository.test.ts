import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { auto, digest, strategies } from '@precis/core'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { findAll, readProperty, readSources, root, type Source } from './sources.ts'

const core = readSources('packages/core/src')
const command = readSources('packages/precis/src')
const sources = [...core, ...command]

type Layers = Readonly<Record<string, readonly string[]>>

/** Folder of core -> the folders it may know. Arrows point inward; a plug-in never imports a sibling family. */
const CORE_LAYERS: Layers = {
  conversation: [],
  models: ['conversation'],
  tokens: ['conversation', 'models'],
  formats: ['conversation'],
  secrets: [],
  facts: ['conversation', 'secrets'],
  strategies: ['conversation', 'secrets'],
  summarizers: ['conversation', 'secrets', 'facts'],
  engine: ['conversation', 'models', 'tokens', 'formats', 'secrets', 'facts', 'strategies', 'summarizers'],
  context: ['conversation', 'models', 'tokens', 'formats', 'facts', 'strategies', 'summarizers', 'engine'],
  integrations: ['conversation', 'models', 'formats', 'context'],
}

/** The same of the command. Files that lie in no folder are for all; only the chat shows what commands show. */
const COMMAND_LAYERS: Layers = {
  configuration: [],
  database: [],
  sessions: ['database'],
  terminal: ['sessions'],
  summarizers: ['configuration'],
  archive: ['configuration', 'database', 'sessions'],
  agents: ['archive', 'configuration', 'sessions'],
  mcp: ['archive', 'configuration', 'database', 'sessions'],
  batch: ['agents', 'archive', 'configuration', 'database', 'sessions', 'summarizers'],
  queue: ['agents', 'batch', 'configuration', 'database', 'sessions'],
  evaluation: ['sessions'],
  chat: ['cli', 'configuration', 'sessions', 'summarizers', 'terminal'],
  cli: [
    'agents',
    'archive',
    'batch',
    'chat',
    'configuration',
    'database',
    'evaluation',
    'mcp',
    'queue',
    'sessions',
    'summarizers',
    'terminal',
  ],
}

/** Undefined for a package, and for a file that lies in no folder. */
const folderOf = (path: string) => path.split('/').slice(3, -1)[0]

describe('the folder list is the architecture', () => {
  test.each([
    ['core', core, CORE_LAYERS],
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

  test('core imports no package and no host module', () => {
    const foreign = core.flatMap(({ path, imports }) =>
      imports.filter((name) => !name.startsWith('packages/core/src/')).map((name) => `${path}: ${name}`),
    )
    expect(foreign).toEqual([])
  })

  test('core reads no clock, no randomness and no host', () => {
    // Both can be replaced by the host: "clock" and "onProblem".
    const allowed = new Map([
      ['packages/core/src/context/clock.ts', 'Date'],
      ['packages/core/src/integrations/followed-calls.ts', 'console'],
    ])
    const impure = ['Date', 'performance', 'process', 'fetch', 'console', 'setTimeout', 'setInterval', 'crypto']
    const found = core.flatMap(({ path, tree }) => {
      const names = findAll(tree, 'Identifier').map((node) => String(readProperty(node, 'name')))
      const random = findAll(tree, 'MemberExpression').filter(
        (node) =>
          readProperty(node, 'object', 'name') === 'Math' && readProperty(node, 'property', 'name') === 'random',
      )
      return [
        ...names.filter((name) => impure.includes(name) && allowed.get(path) !== name),
        ...random.map(() => 'Math.random'),
      ].map((name) => `${path}: ${name}`)
    })
    expect(found).toEqual([])
  })

  test('the command knows core only through its public entry points', () => {
    const inner = command.flatMap(({ path, imports }) =>
      imports
        .filter((name) => name.includes('core/src') || name.includes('core/dist'))
        .map((name) => `${path}: ${name}`),
    )
    expect(inner).toEqual([])
  })

  test('no import runs in a circle, types included', () => {
    expect(findCycle(sources)).toBeUndefined()
  })
})

describe('names', () => {
  test('files are named in kebab-case', () => {
    expect(
      sources
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
        'evaluate',
        'explain',
        'hook',
        'inspect',
        'install',
        'mcp',
        'recall',
        'replay',
        'restore',
        'sessions',
        'undo',
        'uninstall',
        'worker',
      ],
    ],
  ])('every plug-in of %s has a docs page', (family, plugins) => {
    expect(plugins.filter((name) => !existsSync(resolve(root, 'docs', family, `${name}.md`)))).toEqual([])
  })

  test.each([
    ['strategies', strategies],
    ['formats', formats],
  ])('every one of %s is listed under its own name, which is the name of its file', (family, listed) => {
    for (const [name, plugin] of Object.entries<{ name: string }>(listed)) {
      expect(plugin.name).toBe(name)
      expect(core.map(({ path }) => path)).toContain(`packages/core/src/${family}/${name}.ts`)
    }
  })

  test('words that say nothing are not used as names', () => {
    const empty = /(^|-)(util|utils|helper|helpers|common|manager|misc|legacy|v2)(-|$)/
    expect(sources.map((source) => basename(source.path, '.ts')).filter((name) => empty.test(name))).toEqual([])
  })
})

describe('types', () => {
  test('nothing is any', () => {
    expect(sources.filter(({ tree }) => findAll(tree, 'TSAnyKeyword').length > 0).map(({ path }) => path)).toEqual([])
  })

  test('nothing is a default export', () => {
    expect(sources.filter(({ exports }) => exports.includes('default')).map(({ path }) => path)).toEqual([])
  })
})

/** The first circle of imports that is found, as the paths along it. */
function findCycle(all: readonly Source[]): string[] | undefined {
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
