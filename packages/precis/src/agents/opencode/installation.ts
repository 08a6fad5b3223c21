import { homedir } from 'node:os'
import { join } from 'node:path'
import { findModuleUrl } from '../../files/installed-files.ts'
import { asObject } from '../../files/lines.ts'
import type {
  Environment,
  JsonEntry,
  NextModel,
  ProviderModel,
  SettingsEntry,
  StartCommand,
} from '../shared/agent.ts'
import {
  createModuleEntry,
  isOwnServer,
  SERVER_IN_WORDS,
  SERVER_NAME,
  SERVER_WORD,
} from '../shared/entry.ts'
import type { BestWay, Installation, Places } from '../shared/installation.ts'
import {
  asList,
  chooseNextModel,
  joinModel,
  KEY_VARIABLES,
  listKeyed,
  type Providers,
  readJson,
} from '../shared/next-model.ts'
import { createPromptRenderer, createSkillEntry } from '../shared/skill.ts'
import { findConfiguration, readConfigurations } from './configuration.ts'
import { findData, findFolder, findPluginFile, type Product } from './product.ts'

/**
 * The server in `opencode.json` or `opencode.jsonc`, the plugin in `plugins`, the command in
 * `commands` (opencode.ai/docs/mcp-servers, /docs/plugins and /docs/commands, tested with 1.18.33).
 */
export function createInstallation(
  product: Product,
  { answering }: Pick<BestWay, 'answering'>,
): Installation {
  const { begin, title } = product
  return {
    recallTool: 'precis_recall',
    bestWay: {
      commands: [begin],
      does: 'answers it inside the agent',
      cost: 'one request of one word',
      ...(answering !== undefined && { answering }),
    },
    pluginRecallTool: 'precis_recall',
    findTraces: (environment) => [findFolder(product, environment), findData(product, environment)],
    listEntries: (places) => listEntries(product, places),
    note: `The first time it has a plugin, ${title} fetches a library for plugins into the folder of its settings, and leaves it there.`,
  }
}

function listEntries(product: Product, { environment, command }: Places): SettingsEntry[] {
  const server: JsonEntry = {
    type: 'json',
    path: findConfiguration(product, environment),
    what: SERVER_IN_WORDS,
    names: ['mcp', SERVER_NAME],
    isElement: false,
    value: {
      type: 'local',
      command: [command.program, ...command.words, SERVER_WORD],
      enabled: true,
    },
    isOwn: isOwnServer,
  }
  const plugin = createModuleEntry(
    findPluginFile(product, environment),
    'plugin that compacts inside the agent, and searches what was removed',
    product.name,
    renderPlugin(command, product),
  )
  const skill = createSkillEntry(
    {
      path: join(findFolder(product, environment), 'commands', 'precis.md'),
      agent: product.name,
      render: createPromptRenderer('$ARGUMENTS'),
    },
    command,
  )
  return [server, plugin, skill]
}

// If precis is missing, the agent works as if this file did not exist.
const renderPlugin = (
  command: StartCommand,
  { name, title }: Product,
) => `const host = ${JSON.stringify({ name, title, command }, null, 2)}

export const precis = async ({ client }) => {
  try {
    const { createOpencodePlugin } = await import(${JSON.stringify(findModuleUrl('agents/opencode/plugin'))})
    return createOpencodePlugin({ client }, {}, host)
  } catch {
    return {}
  }
}
`

export function findNextModel(
  product: Product,
  recorded: ProviderModel,
  directory: string,
  environment: Environment,
): NextModel {
  const providers = readProviders(product, directory, environment)
  const { name, title } = product
  const login = `run "${name} auth login"`
  return chooseNextModel({ title, login, file: `${name}.json`, providers }, recorded)
}

function readProviders(product: Product, directory: string, environment: Environment): Providers {
  const home = homedir()
  const state = join(environment.XDG_STATE_HOME || join(home, '.local', 'state'), product.name)
  const configurations = readConfigurations(product, directory, environment)
  const cached = join(environment.XDG_CACHE_HOME || join(home, '.cache'), product.name)
  const catalogue = readJson(join(cached, 'models.json'))
  const models = new Map<string, readonly string[] | undefined>()
  for (const id of listKeyed(
    readJson(join(findData(product, environment), 'auth.json')),
    environment,
  )) {
    const known = Object.keys(asObject(asObject(catalogue[id])?.models) ?? {})
    models.set(id, known.length > 0 ? known : undefined)
  }
  const described: string[] = []
  for (const [id, value] of configurations.flatMap(({ provider }) =>
    Object.entries(asObject(provider) ?? {}),
  )) {
    const { npm, api, options, models: listed } = asObject(value) ?? {}
    const { apiKey, baseURL } = asObject(options) ?? {}
    const isKnown = KEY_VARIABLES.has(id)
    // Settings of a provider that the agent knows are not a key for it.
    if (![npm, api, apiKey, baseURL].some((setting) => setting !== undefined) && !models.has(id))
      continue
    const ids = Object.keys(asObject(listed) ?? {})
    models.set(id, isKnown ? undefined : [...(models.get(id) ?? []), ...ids])
    described.push(...ids.map((model) => `${id}/${model}`))
  }
  const disabled = configurations.flatMap(({ disabled_providers: ids }) => asList(ids))
  for (const id of disabled) if (typeof id === 'string') models.delete(id)
  const chosen = configurations.flatMap(({ model }) => (typeof model === 'string' ? [model] : []))
  const recent = asList(readJson(join(state, 'model.json')).recent)
  const used = recent.flatMap((entry) =>
    joinModel(asObject(entry)?.providerID, asObject(entry)?.modelID),
  )
  return { models, described, preferred: [...chosen.toReversed(), ...used] }
}
