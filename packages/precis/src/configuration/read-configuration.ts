import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { Spend } from '@precis/core/context'
import { ConfigurationError, explainSystemError, systemErrorCode } from '../files/errors.ts'
import { readInputFile } from '../files/read-document.ts'
import { findUserFolders } from '../files/user-folders.ts'
import type { KeptEnds } from './choices.ts'
import {
  type Configuration,
  type ConfigurationLayer,
  dropUndefined,
  mergeSummarizers,
} from './configuration.ts'

/** The settings of the command line. Undefined for options that were not given. */
export interface ConfigurationFlags {
  readonly strategy?: string
  readonly budget?: string
  readonly spend?: Spend
  readonly threshold?: number
  readonly keep?: KeptEnds
  readonly summarizer?: string
  readonly baseUrl?: string
  /** The path or address of the archive. */
  readonly database?: string
}

/** The I/O, which tests replace. */
export interface ConfigurationHost {
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Folder of the user's own file. */
  readonly userFolder?: string
}

/**
 * Lowest to highest priority: the project's file, the user's file, the environment, flags. Throws
 * `ConfigurationError` if one of them is invalid. Invalid settings of a project are ignored
 * instead, with a notice.
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
    keep: (weak.keep ?? strong.keep) && keep,
    archive: (weak.archive ?? strong.archive) && archive,
  }
}

async function readLayer({ path, value }: FoundFile): Promise<ConfigurationLayer> {
  const layer = await parse(value, `"${path}"`)
  const { summarizer, chat, archive } = layer
  const resolved = (file: string | undefined) => file && resolvePath(file, path)
  return dropUndefined({
    ...layer,
    summarizer:
      summarizer &&
      dropUndefined({
        ...summarizer,
        keyFile: resolved(summarizer.keyFile),
        promptsFolder: resolved(summarizer.promptsFolder),
      }),
    chat: chat && dropUndefined({ ...chat, keyFile: resolved(chat.keyFile) }),
    archive:
      archive &&
      dropUndefined({
        ...archive,
        database: archive.database && resolvePlace(archive.database, path),
      }),
  })
}

/** Paths in a file are relative to that file. */
function resolvePath(path: string, file: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(file), path)
}

/** An address stays unchanged. */
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
 * For processes that an agent starts. A project can set the environment of its agent, so precis
 * ignores its own variables there. They can neither move sessions nor, by an invalid value, stop
 * originals from being kept. Returns the names of the variables that were set.
 */
export function forgetVariables(environment: Record<string, string | undefined>): string[] {
  const found = Object.values(VARIABLES).filter((name) => environment[name])
  for (const name of found) delete environment[name]
  return found
}

async function readEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ConfigurationLayer> {
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

/** Converts the flat form of flags and variables to the form of a file. */
function toLayer(flags: ConfigurationFlags): ConfigurationLayer {
  const { strategy, budget, spend, threshold, keep, summarizer: name, baseUrl, database } = flags
  const summarizer = (name ?? baseUrl) === undefined ? undefined : dropUndefined({ name, baseUrl })
  const archive = database === undefined ? undefined : { database }
  return dropUndefined({ strategy, budget, spend, threshold, keep, summarizer, archive })
}

/** The schema is only loaded if there is something to validate. */
async function parse(value: unknown, place: string): Promise<ConfigurationLayer> {
  return (await import('./parse-configuration.ts')).parseConfiguration(value, place)
}

/** A file with settings, before they are checked. */
interface FoundFile {
  readonly path: string
  readonly value: unknown
}

interface FoundProject {
  readonly file: FoundFile | undefined
  /** For the user: files of the project that are not read, and why. */
  readonly notices: readonly string[]
}

const DATA_NAME = 'precis.config.json'
const CODE_NAMES = ['ts', 'js', 'mjs', 'cjs', 'mts', 'cts'].map(
  (extension) => `precis.config.${extension}`,
)

/**
 * The nearest `precis.config.json`, or `package.json` with a member "precis", from the folder up to
 * the root of its repository. If there is no repository, only the folder itself is searched. A
 * repository is untrusted: nothing is executed, no link is followed, and an unreadable file becomes
 * a notice.
 */
function findProjectFile(folder: string): FoundProject {
  const root = findRepository(folder) ?? resolve(folder)
  const notices: string[] = []
  for (let at = resolve(folder); ; at = dirname(at)) {
    for (const code of CODE_NAMES.map((name) => join(at, name)).filter((path) =>
      existsSync(path),
    )) {
      notices.push(`"${code}" is not run: the configuration of a project is data, in ${DATA_NAME}`)
    }
    const path = join(at, DATA_NAME)
    if (existsSync(path)) {
      const value = readData(path, MOST_DATA_BYTES)
      if (value instanceof Error) notices.push(`"${path}" is ignored: ${value.message}`)
      return { file: value instanceof Error ? undefined : { path, value }, notices }
    }
    // A broken package.json is not for precis to report.
    const manifestPath = join(at, 'package.json')
    const manifest = existsSync(manifestPath)
      ? readData(manifestPath, MOST_MANIFEST_BYTES)
      : undefined
    if (isRecord(manifest) && Object.hasOwn(manifest, 'precis')) {
      return { file: { path: manifestPath, value: manifest.precis }, notices }
    }
    if (at === root || at === dirname(at)) return { file: undefined, notices }
  }
}

/** Above the repository, other people may have write access. */
function findRepository(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

const MOST_DATA_BYTES = 64 << 10
const MOST_MANIFEST_BYTES = 1 << 20
// Opens neither a link to another place nor a pipe that nothing writes to.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** The value, or why there is none. */
function readData(path: string, mostBytes: number): unknown {
  if (lstatSync(path).isSymbolicLink()) return new Error('it is a link')
  let descriptor: number
  try {
    descriptor = openSync(path, READ_FLAGS)
  } catch (error) {
    return new Error(`it cannot be read (${systemErrorCode(error) ?? String(error)})`)
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return new Error('it is no file')
    if (stats.size > mostBytes) return new Error(`it has more than ${mostBytes} bytes`)
    return parseText(readFileSync(descriptor))
  } catch (error) {
    // The parser's message quotes the file.
    return new Error(
      error instanceof SyntaxError ? 'it is no JSON' : `it cannot be read (${String(error)})`,
    )
  } finally {
    closeSync(descriptor)
  }
}

/** Without a byte order mark. */
function parseText(json: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(json))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const USER_NAMES = ['config.json', 'config.ts', 'config.js']

/**
 * `config.json`, `config.ts` or `config.js` of the user's own folder. Throws `ConfigurationError`
 * if it cannot be read.
 */
async function findUserFile(folder: string): Promise<FoundFile | undefined> {
  // A relative folder would be in the project that precis runs in.
  if (!isAbsolute(folder)) return undefined
  const path = USER_NAMES.map((name) => join(folder, name)).find((candidate) =>
    existsSync(candidate),
  )
  if (path === undefined) return undefined
  try {
    const bytes = readInputFile(path)
    return { path, value: path.endsWith('.json') ? parseText(bytes) : await runCode(path) }
  } catch (error) {
    const said = explainSystemError(error)
    throw new ConfigurationError(
      'invalid-configuration',
      `Reading the configuration "${path}": ${said}`,
    )
  }
}

async function runCode(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  return await createJiti(import.meta.url, { moduleCache: false, fsCache: false }).import(path, {
    default: true,
  })
}
