import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { auto, digest } from '@precis/core'
import { formats } from '@precis/core/formats'
import { strategies } from '@precis/core/strategies'
import { describe, expect, test } from 'vitest'
import { hosts } from '../packages/core/src/conversation/hosts.data.ts'
import { agents } from '../packages/precis/src/agents/index.ts'
import type { Agent } from '../packages/precis/src/agents/shared/agent.ts'
import { buildLibraryPages } from '../scripts/build-library-docs.ts'
import { findAll, readProperty, readSources, root, type Source } from './sources.ts'

const core = readSources('packages/core/src')
const chat = readSources('packages/chat/src')
const command = readSources('packages/precis/src')
const sources = [...core, ...chat, ...command]
const everything = [...sources, ...readSources('lab')]

/**
 * Folder -> the folders it may know, by the table under this heading of ARCHITECTURE.md. Arrows
 * point inward; a plug-in never imports a sibling family. Files that are in no folder are for all.
 */
function readLayers(heading: string): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(resolve(root, 'ARCHITECTURE.md'), 'utf8')
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const layers = new Map<string, readonly string[]>()
  for (const [, folder = '', mayImport = ''] of section.matchAll(
    /^\| `([\w-]+)\/` \|.*\| ([^|]+) \|$/gm,
  )) {
    const named = [...mayImport.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name)
    layers.set(folder, mayImport === 'all of the above' ? [...layers.keys()] : named)
  }
  return layers
}

/** Undefined for a package, and for a file that lies in no folder. */
const folderOf = (path: string) => path.split('/').slice(3, -1)[0]

const sharesPackage = (a: string, b: string) => a.split('/')[1] === b.split('/')[1]

describe('the folder list is the architecture', () => {
  test.each([
    ['core', core],
    ['the chat', chat],
    ['the command', command],
  ] as const)('every folder of %s imports only what its row allows', (name, files) => {
    const layers = readLayers(`Folders of ${name}`)
    const folders = files.flatMap(({ path }) => folderOf(path) ?? [])
    expect([...layers.keys()].sort()).toEqual([...new Set(folders)].sort())
    const outward = files.flatMap(({ path, imports }) => {
      const folder = folderOf(path)
      if (folder === undefined) return []
      const allowed = [undefined, folder, ...(layers.get(folder) ?? [])]
      const own = imports.filter(
        (name) => name.startsWith('packages/') && !allowed.includes(folderOf(name)),
      )
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
      imports
        .filter((name) => !name.startsWith('packages/core/src/'))
        .map((name) => `${path}: ${name}`),
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
    // All of them can be replaced by the host: "clock", "hash" and "onProblem"; when others have
    // their turn changes no result.
    const allowed = new Map([
      ['packages/core/src/context/live-state.ts', ['Date']],
      ['packages/core/src/following/list-chain.ts', ['crypto']],
      ['packages/core/src/conversation/steps.ts', ['Date', 'setTimeout']],
      ['packages/core/src/following/warn-once.ts', ['console']],
    ])
    const impure = [
      'Date',
      'performance',
      'process',
      'fetch',
      'console',
      'setTimeout',
      'setInterval',
      'crypto',
    ]
    const found = core.flatMap(({ path, tree }) => {
      const names = findAll(tree, 'Identifier').map((node) => String(readProperty(node, 'name')))
      const random = findAll(tree, 'MemberExpression').filter(
        (node) =>
          readProperty(node, 'object', 'name') === 'Math' &&
          readProperty(node, 'property', 'name') === 'random',
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
        .filter(
          (name) => /(?:core|chat|precis)\/(?:src|dist)/.test(name) && !sharesPackage(path, name),
        )
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

  test('the command line is thin: at most 42 files, none above 8 kB', () => {
    const own = command.filter(({ path }) => path.startsWith('packages/precis/src/cli/'))
    expect(own.length).toBeGreaterThan(0)
    expect(own.length).toBeLessThanOrEqual(42)
    const large = own.filter(({ text }) => Buffer.byteLength(text) > 8000)
    expect(large.map(({ path }) => path)).toEqual([])
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
      return (
        text.includes('createTokenCounter(') &&
        !text.includes('byCharacters: true') &&
        !vocabularies.every((line) => text.includes(line))
      )
    })
    expect(unsure.map(({ path }) => path)).toEqual([])
  })

  test('no import runs in a circle, types included: neither of files nor of folders', () => {
    expect(findCycle(everything)).toBeUndefined()
    expect(findCycle(asFolders(sources))).toBeUndefined()
  })
})

describe('a new agent is two folders and three rows', () => {
  const rows = [
    'packages/core/src/conversation/hosts.data.ts',
    'packages/core/src/formats/formats.ts',
    'packages/precis/src/agents/index.ts',
  ]
  // Providers and addresses that are called like an agent, a command for one agent, and what is
  // exported for bundles of one agent.
  const namesakes = [
    'packages/core/src/context/overflow-texts.data.ts',
    'packages/core/src/formats/index.ts',
    'packages/precis/src/agents/shared/next-model.ts',
    'packages/precis/src/cli/statusline.ts',
    'packages/precis/src/gateway/routes.ts',
  ]
  const isOwn = (path: string) =>
    agents.some(({ name, format }) =>
      [`/agents/${name}/`, `/formats/${format.name}/`].some((folder) => path.includes(folder)),
    )
  const toCamelCase = (name: string) =>
    name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  // A name may be an ordinary word, so by itself it counts only between quotes or in a path.
  const quoted = agents.flatMap(({ name }) => [name, toCamelCase(name)])
  const alone = (words: readonly string[], before: string, after: string) =>
    `(?<!${before})(?:${[...new Set(words)].join('|')})(?!${after})`
  const naming = new RegExp(
    [
      `['"\`/]${alone(quoted, '[\\p{L}\\w@-]', '[\\p{L}\\w-]')}['"\`/.]`,
      alone(
        agents.map(({ title }) => title),
        '[\\p{L}\\w@-]',
        '[\\p{L}\\w-]',
      ),
    ].join('|'),
    'u',
  )
  // Examples need a name.
  const withoutHelp = (code: string) => code.replace(/_HELP = `[^`]*`/g, '')
  const found = sources.filter(({ code }) => naming.test(withoutHelp(code))).map(({ path }) => path)

  test('no other file of the product names an agent', () => {
    const allowed = [...rows, ...namesakes]
    expect(found.filter((path) => !isOwn(path) && !allowed.includes(path))).toEqual([])
  })

  test('what is allowed to name one does', () => {
    expect([...rows, ...namesakes].filter((path) => !found.includes(path))).toEqual([])
  })

  test('each has its row in each of the lists', () => {
    const listed = hosts.map(({ name }) => name)
    expect(agents.filter(({ format }) => !listed.includes(format.name))).toEqual([])
  })

  test.each([
    ['agents', 'packages/precis/src/agents', agents.map(({ name }) => name)],
    ['formats', 'packages/core/src/formats', Object.keys(formats)],
  ])('a folder of %s that holds one is in the list', (_, folder, listed) => {
    const names = readdirSync(resolve(root, folder)).filter((name) =>
      existsSync(resolve(root, folder, name, `${name}.ts`)),
    )
    // The transcript is no file of an agent, and conversion is between formats.
    const others = ['transcript', 'conversion']
    expect(names.filter((name) => !others.includes(name)).toSorted()).toEqual(listed.toSorted())
  })

  test.each([
    [
      'docs/conversion.md',
      (agent: Agent) => agent.place !== undefined,
      ({ title }: Agent) => `| ${title.replace('GitHub ', '')} |`,
    ],
    ['docs/commands/sessions.md', () => true, ({ title }: Agent) => `\n| ${title} |`],
    ['packages/precis/README.md', () => true, ({ title }: Agent) => title],
    [
      'docs/commands/install.md',
      (agent: Agent) => agent.installation,
      ({ name }: Agent) => `\n| \`${name}\` |`,
    ],
    [
      'docs/summarizers/model.md',
      (agent: Agent) => agent.headless,
      ({ headless }: Agent) => `\n| \`agent/${headless?.program}\` |`,
    ],
  ] as const)('%s has its row', (path, concerns, write) => {
    const page = readFileSync(resolve(root, path), 'utf8').replace(/(?<=\S)\n(?=\S)(?!\|)/g, ' ')
    const missing = agents.filter((agent) => concerns(agent) && !page.includes(write(agent)))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})

describe('a contract a folder, and a helper with its only caller until it has two', () => {
  const code = sources.filter(({ path }) => !path.endsWith('.data.ts'))
  const sizes = code.map(({ text }) => Buffer.byteLength(text)).sort((a, b) => a - b)

  test('at most 6 % of the files have less than 1 kB', () => {
    expect(sizes.filter((bytes) => bytes < 1000).length / sizes.length).toBeLessThanOrEqual(0.06)
  })

  test('half of the files have at most 5.2 kB, and none more than 13.5, but for a contract', () => {
    expect(sizes[sizes.length >> 1]).toBeLessThanOrEqual(5200)
    expect(
      code.filter(({ text }) => Buffer.byteLength(text) > 13_500).map(({ path }) => path),
    ).toEqual(['packages/core/src/context/context.ts'])
  })

  test('at most a quarter of the files have one importer, those apart that a list of plug-ins names', () => {
    const importers = new Map<string, string[]>()
    for (const { path, imports } of sources) {
      for (const name of imports) importers.set(name, [...(importers.get(name) ?? []), path])
    }
    const isPlugin = (importer: string) => ['index.ts', 'commands.ts'].includes(basename(importer))
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
    ['integrations', ['ai-sdk', 'anthropic', 'google', 'langchain', 'openai', 'tanstack-ai']],
    [
      'commands',
      [
        'archive',
        'chat',
        'check',
        'clone',
        'compress',
        'diff',
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
    expect(
      plugins.filter((name) => !existsSync(resolve(root, 'docs', family, `${name}.md`))),
    ).toEqual([])
  })

  test.each([
    ['strategies', strategies, (name: string) => `${name}.ts`],
    ['formats', formats, (name: string) => `${name}/${name}.ts`],
  ])(
    'every one of %s is listed under its own name, which is the name of its file',
    (family, listed, fileOf) => {
      for (const [name, plugin] of Object.entries<{ name: string }>(listed)) {
        expect(plugin.name).toBe(name)
        expect(core.map(({ path }) => path)).toContain(
          `packages/core/src/${family}/${fileOf(name)}`,
        )
      }
    },
  )

  test('the reference says what the doc comments say; npm run build && npx tsx scripts/build-library-docs.ts writes it', () => {
    for (const { path, current, built } of buildLibraryPages()) expect(current, path).toBe(built)
  })

  test('words that say nothing are not used as names', () => {
    const empty = /(^|-)(util|utils|helper|helpers|common|manager|misc|legacy|v2)(-|$)/
    expect(
      everything.map((source) => basename(source.path, '.ts')).filter((name) => empty.test(name)),
    ).toEqual([])
  })
})

describe('types', () => {
  test('nothing is any', () => {
    expect(
      everything
        .filter(({ tree }) => findAll(tree, 'TSAnyKeyword').length > 0)
        .map(({ path }) => path),
    ).toEqual([])
  })

  test('the size of a window is declared in at most ten types; the others take it from these', () => {
    const declared = sources.flatMap(({ path, tree }) =>
      findAll(tree, 'TSPropertySignature')
        .filter((node) => readProperty(node, 'key', 'name') === 'windowTokens')
        .map(() => path),
    )
    expect(declared.length).toBeGreaterThan(0)
    expect(declared.length).toBeLessThanOrEqual(10)
  })

  test('at most 40 names of types are declared twice', () => {
    const kinds = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration']
    const places = new Map<string, string[]>()
    for (const { path, tree } of sources) {
      for (const node of kinds.flatMap((kind) => findAll(tree, kind))) {
        const name = String(readProperty(node, 'id', 'name'))
        places.set(name, [...(places.get(name) ?? []), path])
      }
    }
    expect(places.size).toBeGreaterThan(0)
    const doubled = [...places].filter(([, paths]) => paths.length > 1)
    expect(doubled.length, doubled.join('\n')).toBeLessThanOrEqual(40)
  })

  test('nothing is a default export', () => {
    expect(
      everything.filter(({ exports }) => exports.includes('default')).map(({ path }) => path),
    ).toEqual([])
  })
})

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
