import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ParseError, parse } from 'jsonc-parser'
import { systemErrorCode } from '../../files/errors.ts'
import { asObject, type JsonObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Environment, Installation, OpenedSession } from '../ground/agent.ts'
import { createHookEntry, createMcpEntry, readHookSession, SERVER_NAME } from '../ground/entry.ts'
import { createSkillEntry, renderTomlPrompt } from '../ground/skill.ts'
import { countContext } from './stored-chat.ts'

const HOOK_MS = 30_000

/** In `settings.json` and `commands` (geminicli.com/docs/tools/mcp-server, /docs/hooks/reference and /docs/cli/custom-commands; tried with 0.61.0). */
export const installation: Installation = {
  recallTool: 'mcp_precis_recall',
  pluginRecallTool: 'mcp_precis_recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    const path = join(folder, 'settings.json')
    return [
      createMcpEntry(path, ['mcpServers'], command),
      createHookEntry(
        {
          path,
          agent: 'gemini-cli',
          event: 'PreCompress',
          timeout: HOOK_MS,
          what: 'hook that keeps the session before it is compressed',
          more: { name: SERVER_NAME },
        },
        command,
      ),
      createSkillEntry(
        {
          path: join(folder, 'commands', 'precis.toml'),
          agent: 'gemini-cli',
          render: renderTomlPrompt,
          isBrought: () => existsSync(join(folder, 'extensions', 'precis', 'gemini-extension.json')),
        },
        command,
      ),
    ]
  },

  async answerHook(input, host) {
    const session = readHookSession(input)
    const isDue = (opened: OpenedSession) => input.trigger !== 'auto' || mayCompress(opened, host.environment)
    if (session !== undefined) await host.keepSession(session, { isDue })
    return undefined
  },
}

// Of the window, where no settings say otherwise.
const DEFAULT_THRESHOLD = 0.5
const WINDOW_TOKENS = 1_048_576
const GEMMA_WINDOW_TOKENS = 256_000
// Its own estimate may be higher than what was counted; what is kept for nothing is replaced the next time.
const MARGIN = 0.5
const BYTES_PER_TOKEN = 3

/**
 * Whether it may be about to compress the session by itself. It calls its hook before every request, and looks at the size only
 * then (`ChatCompressionService`, 0.61).
 */
function mayCompress({ source, conversation }: OpenedSession, environment: Environment): boolean {
  const window = conversation.model?.startsWith('gemma') ? GEMMA_WINDOW_TOKENS : WINDOW_TOKENS
  const tokens = countContext(source) ?? source.byteLength / BYTES_PER_TOKEN
  return tokens >= readThreshold(environment) * window * MARGIN
}

/** The lowest of all settings; 0 where some cannot be read. */
function readThreshold(environment: Environment): number {
  const paths = [
    findSystemSettings(environment),
    join(findFolder(environment), 'settings.json'),
    join('.gemini', 'settings.json'),
  ]
  const thresholds = paths.flatMap((path) => {
    const settings = readSettings(path)
    const threshold = asObject(settings?.model)?.compressionThreshold
    return settings ? (typeof threshold === 'number' ? [threshold] : []) : [0]
  })
  return Math.min(...(thresholds.length > 0 ? thresholds : [DEFAULT_THRESHOLD]))
}

/** Where an administrator keeps them (geminicli.com/docs/reference/configuration). */
export function findSystemSettings(environment: Environment): string {
  return (
    environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH ||
    (SYSTEM_SETTINGS[process.platform] ?? '/etc/gemini-cli/settings.json')
  )
}

const SYSTEM_SETTINGS: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/GeminiCli/settings.json',
  win32: 'C:\\ProgramData\\gemini-cli\\settings.json',
}

/** None where there is no file; undefined where it cannot be read. */
export function readSettings(path: string): JsonObject | undefined {
  try {
    const errors: ParseError[] = []
    const text = readInputFile(path)
      .toString('utf8')
      .replace(/^\ufeff/, '')
    const settings: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
    return errors.length > 0 ? undefined : asObject(settings ?? {})
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? {} : undefined
  }
}

function findFolder({ GEMINI_CLI_HOME }: Environment): string {
  return join(GEMINI_CLI_HOME || homedir(), '.gemini')
}
