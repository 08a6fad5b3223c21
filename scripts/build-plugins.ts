/**
 * Writes the packages of precis in the agents' own conventions, `plugins/`, from what `precis install` puts into their files: the same hooks
 * and servers, with `precis` found on the PATH. `plugins/skill.md` is the text of the command.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entry, JsonValue } from '../packages/precis/src/agents/ground/agent.ts'
import { agents } from '../packages/precis/src/agents/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version, license }: Record<string, string> = JSON.parse(
  readFileSync(join(root, 'packages/precis/package.json'), 'utf8'),
)
const SKILL = readFileSync(join(root, 'plugins/skill.md'), 'utf8')
const NAME = 'precis'
const SKILL_DESCRIPTION =
  'Shows how full this conversation is, previews and makes a smaller copy of it, and finds what compactions removed. Use it when the user asks for precis, context size, compaction, or something from before a compaction.'
const SUMMARY = 'Keeps long conversations inside the context window: repairs compactions, compresses, recalls.'
const MISSING = 'precis is not on the PATH: its README says how to install it'

/** Paths from the root of the repository, with the texts of the files. */
export function renderPlugins(): ReadonlyMap<string, string> {
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
    ...renderSkillPlugin('plugins/claude-code', '.claude-plugin', manifest, claude),
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
      toJson({ name: NAME, version: version ?? '', description: SUMMARY, mcpServers: gemini.servers }),
    ],
    ['plugins/gemini-cli/hooks/hooks.json', toJson({ hooks: gemini.hooks })],
    [
      'plugins/gemini-cli/commands/precis.toml',
      `description = ${JSON.stringify(SKILL_DESCRIPTION)}\nprompt = '''\n${SKILL}\nThe user wrote: {{args}}\n'''\n`,
    ],
    ['plugins/opencode/precis.js', renderOpencode()],
    [
      'plugins/pi/package.json',
      toJson({
        ...manifest,
        name: 'precis-pi',
        private: true,
        type: 'module',
        keywords: ['pi-package'],
        pi: { extensions: ['./extensions'], prompts: ['./prompts'] },
      }),
    ],
    ['plugins/pi/extensions/precis.ts', renderPi()],
    ['plugins/pi/prompts/precis.md', `---\ndescription: ${SKILL_DESCRIPTION}\n---\n${SKILL}\nThe user wrote: $@\n`],
  ])
}

interface PluginEntries {
  readonly hooks: Record<string, JsonValue[]>
  readonly servers: Record<string, JsonValue>
}

/** What `precis install` writes for an agent, as its plugin has it. */
function readEntries(name: string): PluginEntries {
  const agent = agents.find((known) => known.name === name)
  const hooks: Record<string, JsonValue[]> = {}
  const servers: Record<string, JsonValue> = {}
  const entries = agent?.installation?.listEntries({ environment: {}, command: { program: NAME, words: [] } }) ?? []
  for (const entry of entries) {
    const event = entry.type === 'json' && entry.names[0] === 'hooks' ? entry.names[1] : undefined
    if (event !== undefined && entry.type === 'json')
      hooks[event] = [callPlugin(entry.value, name, Object.keys(hooks).length === 0)]
    else if (isServer(entry)) servers[NAME] = { command: NAME, args: ['mcp', '--plugin', name] }
  }
  return { hooks, servers }
}

const isServer = (entry: Entry): boolean => 'names' in entry && entry.names.at(-1) === NAME

/** The command of a hook with the words for a plugin. The first one says what to do where there is no precis: agents show whole commands. */
function callPlugin(value: JsonValue, agent: string, isFirst: boolean): JsonValue {
  const line = `precis hook ${agent}`
  const called = `${line} --plugin${isFirst ? ` || { echo '${MISSING}' >&2; exit 1; }` : ''}`
  return JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(line), JSON.stringify(called)))
}

function renderSkillPlugin(
  folder: string,
  manifestFolder: string,
  manifest: object,
  { hooks, servers }: PluginEntries,
): [string, string][] {
  return [
    [`${folder}/${manifestFolder}/plugin.json`, toJson(manifest)],
    [`${folder}/hooks/hooks.json`, toJson({ hooks })],
    [`${folder}/.mcp.json`, toJson({ mcpServers: servers })],
    [`${folder}/skills/precis/SKILL.md`, `---\nname: ${NAME}\ndescription: ${SKILL_DESCRIPTION}\n---\n\n${SKILL}`],
  ]
}

/** Finds the installed command on the PATH, and the module of it that does the work. */
const renderFinder = (module: string, installed: string) => `import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The module of the installed command; undefined where there is none, or "precis install" put in what does the same. */
const findModule = () => {
  if (existsSync(${installed})) return undefined
  const command = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'precis')).find((path) => existsSync(path))
  if (command === undefined) throw new Error(${JSON.stringify(MISSING)})
  return new URL(${JSON.stringify(`../dist/${module}.js`)}, pathToFileURL(realpathSync(command))).href
}
`

const COMMAND = `{ program: 'precis', words: [] }`
const NOTE = '// Written by scripts/build-plugins.ts.\n'

const renderOpencode =
  () => `${NOTE}${renderFinder('agents/opencode/plugin', "join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'opencode', 'plugins', 'precis.js')")}
const template = ${JSON.stringify(`${SKILL}\nThe user wrote: $ARGUMENTS\n`)}
const description = ${JSON.stringify(SKILL_DESCRIPTION)}

export const precis = async ({ client }) => {
  const config = async (settings) => {
    settings.command = { precis: { template, description }, ...settings.command }
    settings.mcp = { precis: { type: 'local', command: ['precis', 'mcp'], enabled: true }, ...settings.mcp }
  }
  try {
    const module = findModule()
    if (module === undefined) return {}
    const { createOpencodePlugin } = await import(module)
    return { config, ...createOpencodePlugin(${COMMAND}, { client, isPlugin: true }) }
  } catch (error) {
    await client.app.log({ body: { service: 'precis', level: 'error', message: String(error) } })
    return {}
  }
}
`

const renderPi =
  () => `${NOTE}${renderFinder('agents/pi/extension', "join(process.env.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent'), 'extensions', 'precis.ts')")}
export default async function (pi) {
  try {
    const module = findModule()
    if (module === undefined) return
    const { extendPi } = await import(module)
    extendPi(pi, ${COMMAND})
  } catch (error) {
    pi.on('session_start', (_event, context) => {
      context.ui.notify(String(error), 'warning')
    })
  }
}
`

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of renderPlugins()) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
