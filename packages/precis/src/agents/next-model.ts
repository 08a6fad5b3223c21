/**
 * With which model pi or OpenCode goes on with a session of another agent. The session names the model that it was with;
 * where that is not configured on this machine, OpenCode fails and pi takes any other, so the command has to name one.
 * Files are only read, as the agents read them; one that cannot be read counts as not there.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'jsonc-parser'

export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

export interface NextModel {
  /** `provider/model`; undefined where the agent chooses, or has nothing to choose from. */
  readonly model: string | undefined
  /** Whether the agent only takes it when the command names it. */
  readonly isNamed: boolean
  /** Which model it is and why, or what has to be configured, for the user. */
  readonly note: string
}

type Models = ReadonlyMap<string, readonly string[] | undefined>

/** The configuration of an agent, from all of its files and variables. */
interface Providers {
  /** The models of each provider; undefined where only the agent knows them. */
  readonly models: Models
  /** Those that the user described, `provider/model`. */
  readonly described: readonly string[]
  /** `provider/model`, what is chosen first. */
  readonly preferred: readonly string[]
}

/** The agents that go on with the model of the session. */
export type MultiProviderAgent = 'opencode' | 'pi'

interface AgentFacts {
  readonly name: string
  readonly flag: string
  /** How a key is entered. */
  readonly login: string
  /** Where a provider of the user's own is described. */
  readonly file: string
  readonly read: (directory: string, environment: NodeJS.ProcessEnv) => Providers
}

const agents: Readonly<Record<MultiProviderAgent, AgentFacts>> = {
  opencode: {
    name: 'OpenCode',
    flag: '--model',
    login: 'run "opencode auth login"',
    file: 'opencode.json',
    read: readOpencode,
  },
  pi: { name: 'pi', flag: '--model', login: 'run "pi" and type /login', file: '~/.pi/agent/models.json', read: readPi },
}

// As pi 0.73 and models.dev, which OpenCode reads, name them.
const KEY_VARIABLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['anthropic', ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN']],
  ['openai', ['OPENAI_API_KEY']],
  ['google', ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY']],
  ['openrouter', ['OPENROUTER_API_KEY']],
  ['groq', ['GROQ_API_KEY']],
  ['mistral', ['MISTRAL_API_KEY']],
  ['xai', ['XAI_API_KEY']],
  ['deepseek', ['DEEPSEEK_API_KEY']],
  ['cerebras', ['CEREBRAS_API_KEY']],
  ['azure', ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY']],
  ['amazon-bedrock', ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_PROFILE']],
  ['google-vertex', ['GOOGLE_CLOUD_API_KEY', 'GOOGLE_APPLICATION_CREDENTIALS']],
  ['github-copilot', ['COPILOT_GITHUB_TOKEN']],
  ['opencode', ['OPENCODE_API_KEY']],
])

/** Stands in a session for a model that nobody recorded. */
const UNKNOWN_MODEL = 'unknown'

export function findNextModel(
  agent: MultiProviderAgent,
  recorded: ProviderModel,
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): NextModel {
  const { name, flag, login, file, read } = agents[agent]
  const { models, preferred, described } = read(directory, environment)
  const isConfigured = ({ provider, model }: ProviderModel) =>
    models.has(provider) && (models.get(provider)?.includes(model) ?? true)
  const isRecorded = recorded.model !== UNKNOWN_MODEL
  const wanted = `${recorded.provider}/${recorded.model}`
  if (isRecorded && isConfigured(recorded)) {
    return { model: wanted, isNamed: false, note: `${name} goes on with ${wanted}.` }
  }
  const was = isRecorded ? `${wanted}, which the session was with, is not` : 'the session names none'
  const [other] = [...preferred, ...described].filter((id) => isConfigured(splitModel(id)))
  if (other !== undefined) {
    return { model: other, isNamed: true, note: `${name} goes on with ${other}, which is configured there; ${was}.` }
  }
  const [provider] = models.keys()
  if (provider !== undefined) {
    const note = `${name} chooses the model: ${provider} is configured there; ${was}. Name one with ${flag} ${provider}/<model>.`
    return { model: undefined, isNamed: false, note }
  }
  const [variable] = KEY_VARIABLES.get(recorded.provider) ?? []
  const way = variable === undefined ? `describe ${recorded.provider} in ${file}` : `set ${variable}`
  const then = isRecorded ? `to go on with ${wanted}` : 'and choose a model'
  const note = `${name} has no provider configured on this machine. First ${way}, or ${login}, ${then}.`
  return { model: undefined, isNamed: false, note }
}

/** None where one of them is missing. */
function joinModel(provider: unknown, model: unknown): string[] {
  return typeof provider === 'string' && typeof model === 'string' ? [`${provider}/${model}`] : []
}

/** The id of a model may hold slashes itself. */
function splitModel(id: string): ProviderModel {
  const slash = id.indexOf('/')
  return { provider: id.slice(0, Math.max(slash, 0)), model: id.slice(slash + 1) }
}

function readOpencode(directory: string, environment: NodeJS.ProcessEnv): Providers {
  const home = homedir()
  const folder = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
  const data = join(environment.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode')
  const state = join(environment.XDG_STATE_HOME || join(home, '.local', 'state'), 'opencode')
  const own = ['config.json', 'opencode.json', 'opencode.jsonc'].map((file) => join(folder, file))
  const named = environment.OPENCODE_CONFIG ? [environment.OPENCODE_CONFIG] : []
  const files = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc']
  const project = listFoldersAbove(directory).flatMap((above) => files.map((file) => join(above, file)))
  const configurations = [...own, ...named, ...project].map(readJson)
  const cache = join(environment.XDG_CACHE_HOME || join(home, '.cache'), 'opencode', 'models.json')
  const catalogue = readJson(cache)
  const models = new Map<string, readonly string[] | undefined>()
  for (const id of listKeyed(readJson(join(data, 'auth.json')), environment)) {
    const known = Object.keys(asObject(asObject(catalogue[id]).models))
    models.set(id, known.length > 0 ? known : undefined)
  }
  const described: string[] = []
  for (const [id, value] of configurations.flatMap(({ provider }) => Object.entries(asObject(provider)))) {
    const { npm, api, options, models: listed } = asObject(value)
    const { apiKey, baseURL } = asObject(options)
    const isKnown = KEY_VARIABLES.has(id)
    // Settings of a provider that OpenCode knows are no key to it.
    if (![npm, api, apiKey, baseURL].some((setting) => setting !== undefined) && !models.has(id)) continue
    const ids = Object.keys(asObject(listed))
    models.set(id, isKnown ? undefined : [...(models.get(id) ?? []), ...ids])
    described.push(...ids.map((model) => `${id}/${model}`))
  }
  const disabled = configurations.flatMap(({ disabled_providers: ids }) => asList(ids))
  for (const id of disabled) if (typeof id === 'string') models.delete(id)
  const chosen = configurations.flatMap(({ model }) => (typeof model === 'string' ? [model] : []))
  const recent = asList(readJson(join(state, 'model.json')).recent)
  const used = recent.map(asObject).flatMap(({ providerID, modelID }) => joinModel(providerID, modelID))
  return { models, described, preferred: [...chosen.toReversed(), ...used] }
}

function readPi(directory: string, environment: NodeJS.ProcessEnv): Providers {
  const folder = environment.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent')
  const keyed = listKeyed(readJson(join(folder, 'auth.json')), environment)
  const models = new Map<string, readonly string[] | undefined>(keyed.map((id) => [id, undefined]))
  const described: string[] = []
  for (const [id, value] of Object.entries(asObject(readJson(join(folder, 'models.json')).providers))) {
    const { apiKey, models: listed } = asObject(value)
    if (apiKey === undefined && !models.has(id)) continue
    const ids = asList(listed).flatMap((model) => asObject(model).id ?? [])
    const names = ids.filter((model) => typeof model === 'string')
    models.set(id, KEY_VARIABLES.has(id) ? undefined : names)
    described.push(...names.map((model) => `${id}/${model}`))
  }
  const settings = [join(directory, '.pi', 'settings.json'), join(folder, 'settings.json')].map(readJson)
  return {
    models,
    described,
    preferred: settings.flatMap(({ defaultProvider, defaultModel }) => joinModel(defaultProvider, defaultModel)),
  }
}

/** Providers that have a key, stored or in a variable. */
function listKeyed(stored: Record<string, unknown>, environment: NodeJS.ProcessEnv): string[] {
  const told = [...KEY_VARIABLES].filter(([, variables]) => variables.some((variable) => environment[variable]))
  return [...Object.keys(stored), ...told.map(([id]) => id)]
}

/** From the root to the folder itself: what is nearer counts more. */
function listFoldersAbove(directory: string): string[] {
  const folders: string[] = []
  for (let folder = resolve(directory); folders[0] !== folder; folder = dirname(folder)) folders.unshift(folder)
  return folders
}

function readJson(path: string): Record<string, unknown> {
  try {
    return asObject(parse(readFileSync(path, 'utf8')))
  } catch {
    // Most of them are not there, and the agent itself says what is wrong with one.
    return {}
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
