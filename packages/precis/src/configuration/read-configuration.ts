import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { ChatSettings, Configuration, ConfigurationLayer } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { type FoundFile, findProjectFile, findUserFile } from './find-file.ts'
import { findUserFolders } from './user-folders.ts'

/** What the person gave on the command line; undefined where they gave nothing. */
export interface ConfigurationFlags {
  readonly strategy?: string
  readonly budget?: string
  readonly summarizer?: string
  readonly baseUrl?: string
  /** Where the archive is. */
  readonly database?: string
}

/** What tests put in the place of the world. */
export interface ConfigurationHost {
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Folder of the user's own file. */
  readonly userFolder?: string
}

/**
 * Weak to strong: the project's file, the user's file, the environment, flags. Throws `ConfigurationError` when one of them
 * says what cannot be.
 */
export async function readConfiguration(
  folder: string,
  flags: ConfigurationFlags = {},
  host: ConfigurationHost = {},
): Promise<Configuration> {
  const userFolder = host.userFolder ?? findUserFolders().config
  const [project, user] = await Promise.all([findProjectFile(folder), findUserFile(userFolder)])
  const layers = [
    project && checkAddress(await readLayer(project), project.path, userFolder),
    user && (await readLayer(user)),
    await readEnvironment(host.environment ?? process.env),
    await readFlags(flags),
  ].filter((layer) => layer !== undefined)
  const files = [project, user].flatMap((file) => (file ? [file.path] : []))
  return { ...layers.reduce(strengthen, {}), summarizer: mergeSummarizer(layers), files }
}

function strengthen(weak: ConfigurationLayer, strong: ConfigurationLayer): ConfigurationLayer {
  const keep = { ...weak.keep, ...strong.keep }
  const chat = strengthenChat(weak.chat, strong.chat)
  const archive = { ...weak.archive, ...strong.archive }
  return {
    ...weak,
    ...strong,
    ...((weak.keep ?? strong.keep) && { keep }),
    ...(chat && { chat }),
    ...((weak.archive ?? strong.archive) && { archive }),
  }
}

/** As for summarizers, a place that names a model starts anew with what belongs to it. */
function strengthenChat(weak: ChatSettings | undefined, strong: ChatSettings | undefined): ChatSettings | undefined {
  if (!weak || strong?.model === undefined || strong.model === weak.model) {
    return weak || strong ? { ...weak, ...strong } : undefined
  }
  const { windowTokens: _window, baseUrl: _address, keyFile: _file, ...rest } = weak
  return { ...rest, ...strong }
}

/** A place that names a summarizer starts anew: the address of one is not that of another. */
function mergeSummarizer(layers: readonly ConfigurationLayer[]): Configuration['summarizer'] {
  let merged: Configuration['summarizer'] = { name: 'digest' }
  for (const { summarizer } of layers) {
    if (!summarizer) continue
    const { name } = summarizer
    merged = name === undefined || name === merged.name ? { ...merged, ...summarizer } : { ...summarizer, name }
  }
  return merged
}

async function readLayer({ path, value }: FoundFile): Promise<ConfigurationLayer> {
  const layer = await parse(value, `"${path}"`)
  const { summarizer, chat, archive } = layer
  const { keyFile, promptsFolder } = summarizer ?? {}
  return {
    ...layer,
    ...(summarizer && {
      summarizer: {
        ...summarizer,
        ...(keyFile !== undefined && { keyFile: resolvePath(keyFile, path) }),
        ...(promptsFolder !== undefined && { promptsFolder: resolvePath(promptsFolder, path) }),
      },
    }),
    ...(chat && {
      chat: { ...chat, ...(chat.keyFile !== undefined && { keyFile: resolvePath(chat.keyFile, path) }) },
    }),
    ...(archive?.database !== undefined && {
      archive: { ...archive, database: resolvePlace(archive.database, path) },
    }),
  }
}

/** Paths in a file are seen from that file. */
function resolvePath(path: string, file: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(file), path)
}

/** An address stays as it is. */
function resolvePlace(place: string, file: string): string {
  return place.includes('://') ? place : resolvePath(place, file)
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Whoever writes a repository must not decide where the keys and the sessions of its readers go. */
function checkAddress(layer: ConfigurationLayer, path: string, userFolder: string): ConfigurationLayer {
  const { summarizer, chat, archive } = layer
  if (archive?.database?.includes('://')) {
    throw new ConfigurationError(
      'invalid-configuration',
      `In "${path}": "archive.database" decides where your sessions go, so the file of a project may set no address there. Set it in "${join(userFolder, 'config.json')}", in PRECIS_DATABASE or with --database.`,
    )
  }
  for (const [section, settings] of Object.entries({ summarizer, chat })) {
    const { baseUrl, keyFile } = settings ?? {}
    if (keyFile === undefined && (baseUrl === undefined || LOOPBACK.has(new URL(baseUrl).hostname))) continue
    const key = keyFile === undefined ? 'baseUrl' : 'keyFile'
    const elsewhere = key === 'baseUrl' && settings === summarizer ? ', in PRECIS_BASE_URL or with --base-url' : ''
    throw new ConfigurationError(
      'invalid-configuration',
      `In "${path}": "${section}.${key}" decides where your key and your sessions go, so the file of a project may not set it. Set it in "${join(userFolder, 'config.json')}"${elsewhere}.`,
    )
  }
  return layer
}

const VARIABLES = {
  strategy: 'PRECIS_STRATEGY',
  budget: 'PRECIS_BUDGET',
  summarizer: 'PRECIS_SUMMARIZER',
  baseUrl: 'PRECIS_BASE_URL',
  database: 'PRECIS_DATABASE',
} as const

async function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Promise<ConfigurationLayer> {
  const given = Object.entries(VARIABLES).flatMap(([key, variable]) => {
    const value = environment[variable]
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  if (given.length === 0) return {}
  const names = given.map(([key]) => VARIABLES[key as keyof typeof VARIABLES])
  return parse(toLayer(Object.fromEntries(given)), `the environment (${names.join(', ')})`)
}

async function readFlags(flags: ConfigurationFlags): Promise<ConfigurationLayer> {
  const layer = toLayer(flags)
  return Object.keys(layer).length === 0 ? layer : parse(layer, 'the command line')
}

/** The flat form of flags and variables in the form of a file. */
function toLayer({ strategy, budget, summarizer, baseUrl, database }: ConfigurationFlags): ConfigurationLayer {
  return {
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...((summarizer ?? baseUrl) !== undefined && {
      summarizer: { ...(summarizer !== undefined && { name: summarizer }), ...(baseUrl !== undefined && { baseUrl }) },
    }),
    ...(database !== undefined && { archive: { database } }),
  }
}

/** The schema is only loaded where there is something to check. */
async function parse(value: unknown, place: string): Promise<ConfigurationLayer> {
  return (await import('./parse-configuration.ts')).parseConfiguration(value, place)
}
