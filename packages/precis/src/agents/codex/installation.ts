import { join } from 'node:path'
import { readText } from '@precis/core/conversation'
import { quietly } from '../../files/errors.ts'
import { asText, type JsonObject } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import { describeLosses, restoreLost } from '../shared/compaction-repair.ts'
import {
  answerByKeeping,
  createHookEntry,
  isOwnCommand,
  SERVER_IN_WORDS,
  SERVER_NAME,
  SERVER_WORD,
} from '../shared/entry.ts'
import type { HookHost, Installation } from '../shared/installation.ts'
import { createSkillEntry, renderSkillFile } from '../shared/skill.ts'
import { readCompactions } from './compactions.ts'
import { findFolder } from './launch.ts'
import { readNewestCompaction } from './timeline.ts'

const HOOKS = [
  { event: 'PreCompact', what: 'hook that keeps the session before it is compacted' },
  { event: 'PostCompact', what: 'hook that says what a compaction lost' },
  {
    event: 'SessionStart',
    matcher: 'compact',
    what: 'hook that puts back what a compaction lost',
  },
]

const HOOK_SECONDS = 30

/**
 * The server as `codex mcp add` writes it, in `config.toml`. The hooks are in `hooks.json`
 * (developers.openai.com/codex/mcp and /codex/hooks, tested with 0.169.0).
 */
export const installation: Installation = {
  recallTool: 'mcp__precis.recall',
  bestWay: {
    commands: ['precis install codex'],
    does: 'adds back what the summary lost',
    cost: 'one request',
    answering: 'precis wrap codex',
  },
  pluginRecallTool: 'mcp__precis.recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    const hook = { path: join(folder, 'hooks.json'), agent: 'codex', timeout: HOOK_SECONDS }
    return [
      {
        type: 'toml',
        path: join(folder, 'config.toml'),
        what: SERVER_IN_WORDS,
        names: ['mcp_servers', SERVER_NAME],
        values: { command: command.program, args: [...command.words, SERVER_WORD] },
        isOwn: (strings) => isOwnCommand(strings, SERVER_WORD),
      },
      ...HOOKS.map((kind) => createHookEntry({ ...hook, ...kind }, command)),
      createSkillEntry(
        {
          path: join(folder, 'skills', 'precis', 'SKILL.md'),
          agent: 'codex',
          render: renderSkillFile,
          isBrought: () => hasPlugin(join(folder, 'config.toml')),
        },
        command,
      ),
    ]
  },

  async answerHook(input, host) {
    switch (input.hook_event_name) {
      case 'PostCompact':
      case 'SessionStart':
        return await repair(input, host)
      default:
        return await answerByKeeping(input, host)
    }
  },

  note: 'Codex runs a new hook only after you have trusted it: it asks at its next start, or see /hooks.',
}

const MOST_CHARACTERS = 10_000

/**
 * When Codex calls the first of the two hooks, the compaction is already in the file. The second
 * hook comes before the next request (0.169).
 */
async function repair(
  { transcript_path, hook_event_name }: JsonObject,
  host: HookHost,
): Promise<object | undefined> {
  const path = asText(transcript_path)
  const compacted = path === undefined ? undefined : readNewestCompaction(path, host.environment)
  // The gateway made a complete summary.
  if (path === undefined || !compacted || isByPrecis(path)) return undefined
  const recall = await host.findRecall(path)
  const restored = restoreLost(compacted, { limitCharacters: MOST_CHARACTERS, recall })
  if (hook_event_name === 'PostCompact') {
    return {
      systemMessage: describeLosses(compacted, {
        restored,
        hasRecall: recall !== undefined,
        hasAll: true,
      }),
    }
  }
  return (
    restored && {
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: readText(restored) },
    }
  )
}

const isByPrecis = (path: string) =>
  readCompactions(createMemorySource(readInputFile(path))).at(-1)?.by === 'precis'

/** `[plugins."precis@<marketplace>"]`, which is enabled unless it is explicitly disabled. */
function hasPlugin(configuration: string): boolean {
  const text = quietly(() => readInputFile(configuration).toString('utf8')) ?? ''
  const tables = text.split(/^[ \t]*\[/m)
  return tables.some(
    (table) =>
      /^plugins\."precis@[^"\n]*"\]/.test(table) &&
      !/^[ \t]*enabled[ \t]*=[ \t]*false\b/m.test(table),
  )
}
