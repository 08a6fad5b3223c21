import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Configuration, ConfigurationLayer, KeptEnds } from './configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { type FoundFile, type FoundProject, findProjectFile, findUserFile } from './find-file.ts'
import { mergeSummarizers } from './summarizer-settings.ts'
import { findUserFolders } from './user-folders.ts'

/** What the person gave on the command line; undefined where they gave nothing. */
export interface ConfigurationFlags {
  readonly strategy?: string
  readonly budget?: string
  readonly threshold?: number
  readonly keep?: KeptEnds
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
 * says what cannot be; what a project says is ignored instead, with a notice.
 */
export async function readConfiguration(
  folder: string,
  flags: ConfigurationFlags = {},
  host: ConfigurationHost = {},
): Promise<Configuration> {
  const userFolder = host.userFolder ?? findUserFolders().config
  const project = findProjectFile(folder)
  const user = await findUserFile(userFolder)
  const { layer, notices } = await readProject(project, userFolder)
  const layers = [
    layer,
    user && (await readLayer(user)),
    await readEnvironment(host.environment ?? process.env),
    await readFlags(flags),
  ].filter((found) => found !== undefined)
  const files = [project.file, user].flatMap((file) => (file ? [file.path] : []))
  const summarizer = mergeSummarizers(layers.map((found) => found.summarizer))
  return { ...layers.reduce(strengthen, {}), summarizer, files, notices }
}

async function readProject(
  { file, notices }: FoundProject,
  userFolder: string,
): Promise<{ readonly layer: ConfigurationLayer; readonly notices: readonly string[] }> {
  if (!file) return { layer: {}, notices }
  const { parseProject } = await import('./parse-configuration.ts')
  const parsed = parseProject(file.value, `"${file.path}"`, join(userFolder, 'config.json'))
  return { layer: parsed.layer, notices: [...notices, ...parsed.notices] }
}

function strengthen(weak: ConfigurationLayer, strong: ConfigurationLayer): ConfigurationLayer {
  const keep = { ...weak.keep, ...strong.keep }
  const archive = { ...weak.archive, ...strong.archive }
  return {
    ...weak,
    ...strong,
    ...((weak.keep ?? strong.keep) && { keep }),
    ...((weak.archive ?? strong.archive) && { archive }),
  }
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

const VARIABLES = {
  strategy: 'PRECIS_STRATEGY',
  budget: 'PRECIS_BUDGET',
  summarizer: 'PRECIS_SUMMARIZER',
  baseUrl: 'PRECIS_BASE_URL',
  database: 'PRECIS_DATABASE',
} as const

/**
 * For what an agent starts: a project can set the environment of its agent, so there no variable of precis says anything: neither where
 * sessions go nor, by a value that cannot be, that nothing is kept. Gives the names of those that were set.
 */
export function forgetVariables(environment: Record<string, string | undefined>): string[] {
  const found = Object.values(VARIABLES).filter((name) => environment[name])
  for (const name of found) delete environment[name]
  return found
}

async function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Promise<ConfigurationLayer> {
  const given = Object.entries(VARIABLES).flatMap(([key, variable]) => {
    const value = environment[variable]
    return value === undefined || value === '' ? [] : [[key, value] as const]
  })
  if (given.length === 0) return {}
  const { [VARIABLES.database]: database } = environment
  if (database && !database.includes('://') && !isAbsolute(database)) {
    throw new ConfigurationError(
      'invalid-configuration',
      `In the environment: ${VARIABLES.database} is a relative path, which would be another file in every folder. Give an absolute one, or an address.`,
    )
  }
  const names = given.map(([key]) => VARIABLES[key as keyof typeof VARIABLES])
  return parse(toLayer(Object.fromEntries(given)), `the environment (${names.join(', ')})`)
}

async function readFlags(flags: ConfigurationFlags): Promise<ConfigurationLayer> {
  const layer = toLayer(flags)
  return Object.keys(layer).length === 0 ? layer : parse(layer, 'the command line')
}

/** The flat form of flags and variables in the form of a file. */
function toLayer(flags: ConfigurationFlags): ConfigurationLayer {
  const { strategy, budget, threshold, keep, summarizer, baseUrl, database } = flags
  return {
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...(threshold !== undefined && { threshold }),
    ...(keep && { keep }),
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
