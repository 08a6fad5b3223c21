import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../shared/agent.ts'
import { answerByKeeping, createHookEntry, createMcpEntry } from '../shared/entry.ts'
import type { Installation } from '../shared/installation.ts'

export function findFolder({ QWEN_HOME }: Environment): string {
  return QWEN_HOME || join(homedir(), '.qwen')
}

const HOOK_SECONDS = 30

/** In `settings.json` (qwenlm.github.io/qwen-code-docs, MCP and hooks, tested with 0.24.4). */
export const installation: Installation = {
  recallTool: 'mcp__precis__recall',
  bestWay: {
    commands: ['precis install qwen-code'],
    does: 'archives the session',
    cost: 'one request',
  },
  findTraces: (environment) => [findFolder(environment)],
  listEntries({ environment, command }) {
    const path = join(findFolder(environment), 'settings.json')
    return [
      createMcpEntry(path, ['mcpServers'], command),
      createHookEntry(
        {
          path,
          agent: 'qwen-code',
          event: 'PreCompact',
          timeout: HOOK_SECONDS,
          what: 'hook that keeps the session before it is compressed',
        },
        command,
      ),
    ]
  },
  answerHook: answerByKeeping,
}
