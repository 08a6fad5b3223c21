import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { asObject, type JsonObject } from '../sessions/lines.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { readContextTokens } from '../sessions/read-context-tokens.ts'
import { readAgentFile } from './agent-file.ts'
import { AgentFileError } from './agent-file-error.ts'
import { createHookEntry } from './hook-entry.ts'
import type { AgentIntegration } from './integration.ts'
import { parseJsonDocument } from './json-document.ts'
import { createMcpEntry, SERVER_NAME } from './mcp-entry.ts'

const HOOK_MS = 30_000

/** Both in `settings.json` (geminicli.com/docs/tools/mcp-server and /docs/hooks/reference; tried with 0.61.0). */
export const geminiCli: AgentIntegration = {
  agent: 'gemini-cli',
  recallTool: 'mcp_precis_recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const path = join(findFolder(environment), 'settings.json')
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
    ]
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
 * Whether Gemini CLI may be about to compress the session by itself. It calls its hook before every request, and looks at the
 * size only then (`ChatCompressionService`, 0.61).
 */
export function mayCompress(
  { document: { source }, conversation }: LoadedSession,
  environment: NodeJS.ProcessEnv,
): boolean {
  const window = conversation.model?.startsWith('gemma') ? GEMMA_WINDOW_TOKENS : WINDOW_TOKENS
  const tokens = readContextTokens(source, 'gemini-cli') ?? source.byteLength / BYTES_PER_TOKEN
  return tokens >= readThreshold(environment) * window * MARGIN
}

/** The lowest of all settings; 0 where some cannot be read. */
function readThreshold(environment: NodeJS.ProcessEnv): number {
  const system = environment.GEMINI_CLI_SYSTEM_SETTINGS_PATH || '/etc/gemini-cli/settings.json'
  const paths = [system, join(findFolder(environment), 'settings.json'), join('.gemini', 'settings.json')]
  const thresholds = paths.flatMap((path) => {
    const settings = readSettings(path)
    const threshold = asObject(settings?.model)?.compressionThreshold
    return settings ? (typeof threshold === 'number' ? [threshold] : []) : [0]
  })
  return Math.min(...(thresholds.length > 0 ? thresholds : [DEFAULT_THRESHOLD]))
}

/** None where there is no file; undefined where it cannot be read. */
function readSettings(path: string): JsonObject | undefined {
  try {
    const text = readAgentFile(path) ?? '{}'
    return 'problem' in parseJsonDocument(text) ? undefined : asObject(parse(text) ?? {})
  } catch (error) {
    if (error instanceof AgentFileError) return undefined
    throw error
  }
}

function findFolder({ GEMINI_CLI_HOME }: NodeJS.ProcessEnv): string {
  return join(GEMINI_CLI_HOME || homedir(), '.gemini')
}
