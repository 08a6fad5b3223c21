/** Claude Code as the module sees it: its interface for mods, on files of a test. */
import type { Mod, ModOptions, On } from './mod.ts'
import { register } from './register.ts'

export const FOLDER = '/home/.claude/projects/-project/'
export const SESSION = '00000000-0000-4000-8000-000000000001'

export const USAGE = {
  context: { breakdown: { model: 'claude-opus-4-5', rawMaxTokens: 200_000, percentage: 70 } },
}
export interface Given {
  /** By the id of their session. */
  readonly files?: Readonly<Record<string, string>>
  /** Bytes before the text of each file. */
  readonly skipped?: number
  readonly store?: () => void
  readonly append?: () => void
  readonly usage?: () => unknown
  readonly run?: () => object
  /** What `/compact` gives the module. */
  readonly typed?: () => object
  /** Where the session is drawn. */
  readonly surfaces?: readonly string[]
  /** What the user answers. */
  readonly ask?: (question: string) => string
}

/** What the hooks that are tested here answer. */
interface Reply {
  readonly text: string
  readonly result: string
  readonly messages: readonly { readonly text: string }[]
  readonly message: { readonly content: readonly object[] }
}

type Hook = ($: Mod, event: object, next: unknown) => Promise<Reply>

export function load(given: Given = {}, options: ModOptions = {}) {
  const { files = {}, skipped = 0 } = given
  const lines: string[] = []
  const appended: object[] = []
  const stored = new Map<string, unknown>()
  const hooks = new Map<string, { hook: Hook; failed: Hook }>()
  const timers: { readonly milliseconds: number; readonly run: () => unknown }[] = []
  let session = SESSION
  let time = 0
  const count = { bytes: 0 }
  const read = (path: string) => {
    const text = files[path.slice(FOLDER.length, -'.jsonl'.length)]
    if (text === undefined) throw new Error('ENOENT')
    return Buffer.from(text)
  }
  const $ = {
    session: {
      id: async () => session,
      cwd: async () => '/project',
      info: async () => ({ transcriptPath: `${FOLDER}${session}.jsonl` }),
      usage: async () => given.usage?.() ?? USAGE,
      surfaces: async () => given.surfaces ?? [],
      compact: async () => undefined,
      append: async (row: object) => {
        given.append?.()
        appended.push(row)
      },
    },
    process: {
      run: async () => {
        if (!given.run) throw new Error('ENOENT')
        return given.run()
      },
    },
    fs: {
      stat: async (path: string) => ({ size: read(path).length + skipped }),
      read: async (path: string, { offset, length }: { offset: number; length: number }) => {
        count.bytes += length
        const start = Math.max(0, offset - skipped)
        const end = Math.max(0, offset - skipped + length)
        return { base64: read(path).subarray(start, end).toString('base64') }
      },
      write: async () => undefined,
    },
    store: {
      get: async (key: string) => stored.get(key),
      set: async (key: string, value: unknown) => {
        given.store?.()
        stored.set(key, value)
      },
      delete: async (key: string) => stored.delete(key),
      keys: async () => [...stored.keys()],
    },
    clock: {
      now: async () => time++,
      after: (milliseconds: number, run: () => void) => void timers.push({ milliseconds, run }),
    },
    // The agent runs it as if the user typed it.
    command: {
      register: async () => undefined,
      run: async ({ command }: { command: string }) => {
        if (command !== 'compact') return
        await send('session.compact', given.typed?.() ?? {})
        await send('classic.PostCompact', {})
      },
    },
    ui: {
      log: (text: string) => lines.push(text),
      ask: async (question: string) => given.ask?.(question) ?? 'Compact',
    },
  } as unknown as Mod
  const on = (event: string, ...rest: unknown[]) => {
    const hook = rest.at(-1) as Hook
    const entry = { hook, failed: hook }
    if (!hooks.has(event)) hooks.set(event, entry)
    return { catch: (failed: Hook) => Object.assign(entry, { failed }) }
  }
  register(on as unknown as On, options)
  const send = async (
    name: string,
    event: object,
    own: (event: object) => Promise<object> = async () => ({}),
  ) => {
    const { hook, failed } = hooks.get(name)!
    const next = Object.assign((given: object) => own(given), {
      budget: { remainingMs: 1_000_000 },
    })
    try {
      return await hook($, event, next)
    } catch (error) {
      return await failed($, event, Object.assign(next, { error }))
    }
  }
  return {
    $,
    read: count,
    lines,
    appended,
    timers,
    stored,
    send,
    become: (id: string) => {
      session = id
    },
    recall: async (query: string) => (await send('tool.call', { query })).result,
    run: async (args: string) => (await send('command.run', { args })).text,
  }
}
