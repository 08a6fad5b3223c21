import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { quietly } from '../../files/errors.ts'
import { asObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import type { Environment } from '../shared/file-entry.ts'
import type { Launch, LaunchRequest } from '../shared/wire.ts'
import { findExtension, findFolder, findSystemSettings, readSettings } from './settings.ts'

const RECALL_TOOL = 'mcp_precis_recall'
const DEFAULTS_VARIABLE = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'
const ADDRESSES = {
  google: 'GOOGLE_GEMINI_BASE_URL',
  vertex: 'GOOGLE_VERTEX_BASE_URL',
  'google-internal': 'CODE_ASSIST_ENDPOINT',
} as const

/**
 * Its addresses are variables, one for each way to log in. The server is in settings with the
 * lowest priority, together with the existing ones, if the agent would read them
 * (geminicli.com/docs/reference/configuration, tested with 0.61.0).
 */
export const launch: Launch = {
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  upstream: 'google',
  renderSetting: (url) => `${ADDRESSES.google}=${url}`,
  findUpstreams(environment, directory) {
    const stored = readVariables(environment, directory)
    return Object.fromEntries(
      Object.entries(ADDRESSES).map(([upstream, name]) => [
        upstream,
        environment[name] || stored[name] || undefined,
      ]),
    )
  },
  plan(request) {
    const { gateway, environment } = request
    const defaults = isOfRootAlone(request.folder) ? addServer(request) : undefined
    const hasTool = defaults !== undefined || hasServer(environment)
    return {
      environment: {
        ...Object.fromEntries(Object.values(ADDRESSES).map((name) => [name, gateway.url])),
        ...(defaults && { [DEFAULTS_VARIABLE]: defaults.path }),
      },
      arguments: [],
      files: defaults ? [defaults] : [],
      recallTool: hasTool ? RECALL_TOOL : undefined,
      note: hasTool
        ? undefined
        : 'the model of Gemini CLI can look up what was removed once "precis install gemini-cli" has put the tool into its settings',
    }
  },
}

/**
 * The variables in the nearest `.env`, as the agent reads them (0.61.0). Empty if that is the file of
 * a project, which is not trusted with the user's key.
 */
function readVariables(environment: Environment, directory: string): NodeJS.Dict<string> {
  const above: string[] = []
  for (let folder = directory; folder !== above.at(-1); folder = dirname(folder)) above.push(folder)
  const listFiles = (folder: string) => [join(folder, '.gemini', '.env'), join(folder, '.env')]
  const ofUser = [dirname(findFolder(environment)), homedir()].flatMap(listFiles)
  const nearest = [...above.flatMap(listFiles), ...ofUser].find((path) => existsSync(path))
  if (nearest === undefined || !ofUser.includes(nearest)) return {}
  return parseEnv(quietly(() => readInputFile(nearest).toString('utf8')) ?? '')
}

/** Undefined if the settings cannot be read. The agent reports that itself. */
function addServer({ environment, server, folder }: LaunchRequest) {
  const before =
    environment[DEFAULTS_VARIABLE] ||
    join(dirname(findSystemSettings(environment)), 'system-defaults.json')
  const defaults = readSettings(before)
  if (!defaults) return undefined
  const own = { command: server.program, args: server.words }
  const mcpServers = { ...asObject(defaults.mcpServers), [SERVER_NAME]: own }
  const text = JSON.stringify({ ...defaults, mcpServers })
  return { path: join(folder, 'system-defaults.json'), text }
}

/**
 * Whether only root can write to this folder and those above. The agent ignores such settings in
 * any other folder, and warns about them on its screen (0.61.0).
 */
function isOfRootAlone(folder: string): boolean {
  const { uid = -1, mode = 0 } = quietly(() => statSync(folder)) ?? {}
  const isSafe = process.platform !== 'win32' && uid === 0 && (mode & WRITABLE_BY_OTHERS) === 0
  const above = dirname(folder)
  return isSafe && (above === folder || isOfRootAlone(above))
}

const WRITABLE_BY_OTHERS = 0o022

/** Whether `precis install` or the plugin added the server. */
function hasServer(environment: Environment): boolean {
  const settings = readSettings(join(findFolder(environment), 'settings.json'))
  const isInstalled = asObject(settings?.mcpServers)?.[SERVER_NAME] !== undefined
  return isInstalled || existsSync(findExtension(environment))
}
