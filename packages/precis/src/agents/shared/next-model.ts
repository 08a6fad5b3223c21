/**
 * The model that continues a session of another agent, for agents that are configured with several
 * providers. The session names its model. If that model is not configured on this machine, an agent
 * fails or picks any other, so the command has to name one. Files are only read, as the agents read
 * them. A file that cannot be read counts as missing.
 */
import { readFileSync } from 'node:fs'
import { parse } from 'jsonc-parser'
import { asObject, type JsonObject } from '../../files/lines.ts'
import type { NextModel, ProviderModel } from './agent.ts'

/** The configuration of an agent, from all of its files and variables. */
export interface Providers {
  /** The models of each provider. Undefined if only the agent knows them. */
  readonly models: ReadonlyMap<string, readonly string[] | undefined>
  /** The models that the user described, as `provider/model`. */
  readonly described: readonly string[]
  /** The first choices, as `provider/model`. */
  readonly preferred: readonly string[]
}

/** How the agent is given its model. */
export interface ModelSetup {
  /** The name of the agent for users. */
  readonly title: string
  /** How to enter a key. */
  readonly login: string
  /** The file in which the user describes another provider. */
  readonly file: string
  readonly providers: Providers
}

// The names in pi 0.73 and models.dev.
export const KEY_VARIABLES: ReadonlyMap<string, readonly string[]> = new Map([
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

/** The name in a session for a model that was not recorded. */
const UNKNOWN_MODEL = 'unknown'

export function chooseNextModel(
  { title, login, file, providers }: ModelSetup,
  recorded: ProviderModel,
): NextModel {
  const { models, preferred, described } = providers
  const isConfigured = ({ provider, model }: ProviderModel) =>
    models.has(provider) && (models.get(provider)?.includes(model) ?? true)
  const isRecorded = recorded.model !== UNKNOWN_MODEL
  const wanted = `${recorded.provider}/${recorded.model}`
  if (isRecorded && isConfigured(recorded)) {
    return { model: wanted, isNamed: false, note: `${title} goes on with ${wanted}.` }
  }
  const was = isRecorded
    ? `${wanted}, which the session was with, is not`
    : 'the session names none'
  const [other] = [...preferred, ...described].filter((id) => isConfigured(splitModel(id)))
  if (other !== undefined) {
    return {
      model: other,
      isNamed: true,
      note: `${title} goes on with ${other}, which is configured there; ${was}.`,
    }
  }
  const [provider] = models.keys()
  if (provider !== undefined) {
    const note = `${title} chooses the model: ${provider} is configured there; ${was}. Name one with --model ${provider}/<model>.`
    return { model: undefined, isNamed: false, note }
  }
  const [variable] = KEY_VARIABLES.get(recorded.provider) ?? []
  const way =
    variable === undefined ? `describe ${recorded.provider} in ${file}` : `set ${variable}`
  const then = isRecorded ? `to go on with ${wanted}` : 'and choose a model'
  const note = `${title} has no provider configured on this machine. First ${way}, or ${login}, ${then}.`
  return { model: undefined, isNamed: false, note }
}

/** Empty if one of them is missing. */
export function joinModel(provider: unknown, model: unknown): string[] {
  return typeof provider === 'string' && typeof model === 'string' ? [`${provider}/${model}`] : []
}

/** The id of a model may contain slashes itself. */
function splitModel(id: string): ProviderModel {
  const slash = id.indexOf('/')
  return { provider: id.slice(0, Math.max(slash, 0)), model: id.slice(slash + 1) }
}

/** Providers with a key that is stored or in a variable. */
export function listKeyed(stored: JsonObject, environment: NodeJS.ProcessEnv): string[] {
  const named = [...KEY_VARIABLES].filter(([, variables]) =>
    variables.some((variable) => environment[variable]),
  )
  return [...Object.keys(stored), ...named.map(([id]) => id)]
}

export function readJson(path: string): JsonObject {
  try {
    return asObject(parse(readFileSync(path, 'utf8'))) ?? {}
  } catch {
    // Most of the files are missing. If a file is broken, the agent itself reports it.
    return {}
  }
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
