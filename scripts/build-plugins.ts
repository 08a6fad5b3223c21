/**
 * Writes the packages of precis in the agents' own conventions, `plugins/`, from what
 * `precis install` puts into their files: the same hooks, servers and commands, with `precis` found
 * on the PATH.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type InputOptions, rolldown } from 'rolldown'
import { agents } from '../packages/precis/src/agents/index.ts'
import type { JsonValue, SettingsEntry } from '../packages/precis/src/agents/shared/agent.ts'
import { COMMAND_MISSING } from '../packages/precis/src/agents/shared/run-precis.ts'
import {
  createPromptRenderer,
  renderPluginSkill,
  renderSkillFile,
  renderTomlPrompt,
} from '../packages/precis/src/agents/shared/skill.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version, license }: Record<string, string> = JSON.parse(
  readFileSync(join(root, 'packages/precis/package.json'), 'utf8'),
)
const SKILL = renderPluginSkill()
const NAME = 'precis'
const SUMMARY =
  'Keeps long conversations inside the context window: repairs compactions, compresses, recalls.'

/** Paths from the root of the repository, with the texts of the files. */
export async function renderPlugins(): Promise<ReadonlyMap<string, string>> {
  const manifest = {
    name: NAME,
    version: version ?? '',
    description: SUMMARY,
    author: { name: NAME },
    license: license ?? '',
  }
  const claude = readEntries('claude-code')
  const codex = readEntries('codex')
  const gemini = readEntries('gemini-cli')
  return new Map([
    ...renderSkillPlugin(
      'plugins/claude-code',
      '.claude-plugin',
      { ...manifest, icon: './.claude-plugin/icon.png', userConfig: MOD_OPTIONS },
      { ...claude, modules: ['./mod.js'] },
      // The module offers "/precis" itself, and a skill of that name would take it.
      'compress',
    ),
    ['plugins/claude-code/hooks/mod.js', await bundleMod()],
    ['plugins/claude-code/LICENSE', readFileSync(join(root, 'LICENSE'), 'utf8')],
    [
      '.claude-plugin/marketplace.json',
      toJson({
        name: NAME,
        owner: { name: NAME },
        description: SUMMARY,
        plugins: [{ name: NAME, source: './plugins/claude-code', description: SUMMARY }],
      }),
    ],
    ...renderSkillPlugin(
      'plugins/codex',
      '.codex-plugin',
      { ...manifest, skills: './skills/', hooks: './hooks/hooks.json', mcpServers: './.mcp.json' },
      codex,
    ),
    [
      '.agents/plugins/marketplace.json',
      toJson({
        name: NAME,
        interface: { displayName: NAME },
        plugins: [
          {
            name: NAME,
            source: { source: 'local', path: './plugins/codex' },
            policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
            category: 'Productivity',
          },
        ],
      }),
    ],
    [
      'plugins/gemini-cli/gemini-extension.json',
      toJson({
        name: NAME,
        version: version ?? '',
        description: SUMMARY,
        mcpServers: gemini.servers,
      }),
    ],
    ['plugins/gemini-cli/hooks/hooks.json', toJson({ hooks: gemini.hooks })],
    ['plugins/gemini-cli/commands/precis.toml', renderTomlPrompt(SKILL)],
    [
      'plugins/opencode/precis.js',
      await bundle('agents/opencode/packaged-plugin', 'packagedPlugin as precis', WITH_CORE),
    ],
    [
      'plugins/opencode/package.json',
      toJson({
        ...manifest,
        name: 'precis-opencode',
        private: true,
        type: 'module',
        main: './precis.js',
      }),
    ],
    [
      'plugins/pi/package.json',
      toJson({
        ...manifest,
        name: 'precis-pi',
        private: true,
        type: 'module',
        keywords: ['pi-package'],
        pi: { extensions: ['./extensions'] },
      }),
    ],
    [
      'plugins/pi/extensions/precis.ts',
      await bundle('agents/pi/packaged-extension', 'packagedExtension as default', WITH_CORE),
    ],
    ['plugins/pi/prompts/precis.md', createPromptRenderer('$@')(SKILL)],
  ])
}

/** What the user sets for the module, as the agent asks for it. */
const MOD_OPTIONS = {
  mode: {
    type: 'string',
    title: 'Who compacts',
    description:
      'replace: precis compacts in about a second, and no model is asked. verify: the model of Claude Code writes the summary, and precis checks it and puts back what it lost.',
    options: ['replace', 'verify'],
    default: 'replace',
  },
  budgetTokens: {
    type: 'number',
    title: 'Tokens a compaction leaves',
    description:
      'The largest size of a conversation after a compaction, in tokens. 0 is for the size of a summary by a model.',
    default: 0,
    min: 0,
  },
  preview: {
    type: 'boolean',
    title: 'Ask before /compact',
    description:
      'Shows what a compaction that you ask for would remove, and asks you first. Automatic compactions never ask.',
    default: true,
  },
  compactAtPercent: {
    type: 'number',
    title: 'Compact after a turn, from this share of the window on',
    description:
      'In percent of the window. A finished turn above it is compacted, so that no later turn is interrupted. 0 is never.',
    default: 0,
    min: 0,
    max: 100,
  },
  compactIdlePercent: {
    type: 'number',
    title: 'Compact before the cache expires, from this share of the window on',
    description:
      'In percent of the window. If you type nothing until the cache of the provider is about to expire, a conversation above it is compacted, so that your next message does not pay for all of it again. 0 is never.',
    default: 0,
    min: 0,
    max: 100,
  },
}

interface PluginEntries {
  /** Code that runs inside the agent. */
  readonly modules?: readonly string[]
  readonly hooks: Record<string, JsonValue[]>
  readonly servers: Record<string, JsonValue>
}

/** What `precis install` writes for an agent, as its plugin has it. */
function readEntries(name: string): PluginEntries {
  const agent = agents.find((known) => known.name === name)
  const hooks: Record<string, JsonValue[]> = {}
  const servers: Record<string, JsonValue> = {}
  const entries =
    agent?.installation?.listEntries({ environment: {}, command: { program: NAME, words: [] } }) ??
    []
  for (const entry of entries) {
    const event = entry.type === 'json' && entry.names[0] === 'hooks' ? entry.names[1] : undefined
    // The module tells the user itself, and the agent shows each of these hooks by its command.
    const isTold = name === 'claude-code' && event === 'PostCompact'
    if (event !== undefined && !isTold && entry.type === 'json')
      hooks[event] = [callPlugin(entry.value, name, Object.keys(hooks).length === 0)]
    else if (isServer(entry)) servers[NAME] = { command: NAME, args: ['mcp', '--plugin', name] }
  }
  return { hooks, servers }
}

const isServer = (entry: SettingsEntry): boolean => 'names' in entry && entry.names.at(-1) === NAME

/**
 * The command of a hook with the words for a plugin. The first one says what to do where there is
 * no precis: agents show whole commands. The plugin of Claude Code works without the command.
 */
function callPlugin(value: JsonValue, agent: string, isFirst: boolean): JsonValue {
  const line = `precis hook ${agent}`
  const called =
    agent === 'claude-code'
      ? `${line} --plugin || exit 0`
      : `${line} --plugin${isFirst ? ` || { echo '${COMMAND_MISSING}' >&2; exit 1; }` : ''}`
  return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(line), JSON.stringify(called)))
}

function renderSkillPlugin(
  folder: string,
  manifestFolder: string,
  manifest: object,
  { modules, hooks, servers }: PluginEntries,
  skill = NAME,
): [string, string][] {
  return [
    [`${folder}/${manifestFolder}/plugin.json`, toJson(manifest)],
    [`${folder}/hooks/hooks.json`, toJson({ ...(modules && { modules }), hooks })],
    [`${folder}/.mcp.json`, toJson({ mcpServers: servers })],
    [
      `${folder}/skills/${skill}/SKILL.md`,
      renderSkillFile(SKILL).replace(`name: ${NAME}`, `name: ${skill}`),
    ],
  ]
}

const ENTRY = 'entry.ts'

/** One file for an agent to load, with all that it imports. */
async function bundle(
  module: string,
  exported: string,
  options: Partial<InputOptions> = {},
): Promise<string> {
  const path = join(root, 'packages/precis/src', `${module}.ts`)
  const bundled = await rolldown({
    input: ENTRY,
    platform: 'node',
    resolve: {
      alias: { '@precis/core': join(root, 'packages/core/src') },
      // Some packages have another form as `main`, which cannot be bundled.
      mainFields: ['module', 'main'],
    },
    ...options,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) =>
          id === ENTRY ? `export { ${exported} } from ${JSON.stringify(path)}` : undefined,
      },
      options.plugins,
    ],
  })
  const { output } = await bundled.generate({
    format: 'esm',
    comments: false,
    codeSplitting: false,
  })
  await bundled.close()
  return `// Written by scripts/build-plugins.ts.\n${output[0].code}`
}

/** What plugins do without: they count by characters, and read sessions, not requests. */
const LEFT_OUT = [
  [
    '/tokens/load-encoding.ts',
    'export const loadEncoding = () => Promise.reject(new Error("It carries no vocabulary."))',
  ],
  ['/formats/request-formats.ts', 'export const requestFormats = {}'],
] as const

const WITH_CORE: Partial<InputOptions> = {
  treeshake: { moduleSideEffects: false },
  plugins: [
    {
      name: 'left-out',
      load: (id) => LEFT_OUT.find(([path]) => id.endsWith(path))?.[1],
    },
  ],
}

/**
 * The module for the process of Claude Code, which reads no file above 1 MiB, and loads no module
 * that imports on demand.
 */
const bundleMod = (): Promise<string> =>
  bundle('agents/claude-code/mod/register', 'register', { ...WITH_CORE, platform: 'browser' })

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of await renderPlugins()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
