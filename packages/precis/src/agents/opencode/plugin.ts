/**
 * The module that the plugin file of OpenCode loads. It runs in the process of the agent, so the
 * command does all work.
 */
import { asObject } from '../../files/lines.ts'
import type { StartCommand } from '../shared/agent.ts'
import { runPrecis } from '../shared/run-precis.ts'

/** The hooks of OpenCode that precis uses (opencode.ai/docs/plugins). */
export interface OpencodeHooks {
  readonly 'experimental.session.compacting': (
    input: { readonly sessionID: string },
    output: { readonly context: string[] },
  ) => Promise<void>
  readonly event: (input: { readonly event: OpencodeEvent }) => Promise<void>
}

interface OpencodeEvent {
  readonly type: string
  readonly properties?: { readonly sessionID?: string }
}

/** The part of its client that adds to a session without asking the model. */
export interface OpencodeClient {
  readonly session: {
    prompt(request: {
      readonly path: { readonly id: string }
      readonly body: {
        readonly noReply: true
        readonly parts: readonly {
          readonly type: 'text'
          readonly text: string
          readonly synthetic: true
        }[]
      }
    }): Promise<unknown>
  }
}

export interface OpencodePluginOptions {
  readonly client?: OpencodeClient
  /** The name of the agent, which may be a fork of OpenCode. */
  readonly agent?: string
  /** Whether it is the plugin that users add, and not the file of "precis install". */
  readonly isPlugin?: boolean
}

/** OpenCode's name of the event after a compaction. */
export const COMPACTED = 'session.compacted'

const KEEP_MS = 30_000
const CONTEXT =
  'Everything before this compaction is kept word for word, and the tool precis_recall searches it by words. Say so in one sentence at the end of the summary.'

/**
 * Archives the session before it is compacted, and restores what a summary may lose after it. A
 * failure changes nothing for the agent.
 */
export function createOpencodePlugin(
  command: StartCommand,
  { client, agent = 'opencode', isPlugin = false }: OpencodePluginOptions = {},
): OpencodeHooks {
  const words = ['hook', agent, ...(isPlugin ? ['--plugin'] : [])]
  /** By session: what to restore when its compaction is done. */
  const restored = new Map<string, string>()
  return {
    async 'experimental.session.compacting'({ sessionID }, { context }) {
      const { output } = await runPrecis(command, words, {
        input: { session_id: sessionID },
        timeoutMs: KEEP_MS,
      })
      const answer = readAnswer(output)
      if (answer?.kept === undefined) return
      context.push(CONTEXT)
      if (typeof answer.restored === 'string') restored.set(sessionID, answer.restored)
    },
    async event({ event: { type, properties } }) {
      const id = type === COMPACTED ? properties?.sessionID : undefined
      const text = id === undefined ? undefined : restored.get(id)
      if (id === undefined || text === undefined) return
      restored.delete(id)
      const input = { session_id: id, hook_event_name: COMPACTED }
      const { output } = await runPrecis(command, words, { input, timeoutMs: KEEP_MS })
      // The gateway made a complete summary.
      if (readAnswer(output)?.by === 'precis') return
      const body = { noReply: true, parts: [{ type: 'text', text, synthetic: true }] } as const
      await client?.session.prompt({ path: { id }, body }).catch(() => {})
    },
  }
}

function readAnswer(output: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(output))
  } catch {
    return undefined
  }
}
