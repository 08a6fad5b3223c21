/** All commands, and the names that are gone. */
import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'

interface CommandFile {
  readonly summary: string
  /** Adds the options, the help and the action to the command. */
  readonly load: () => Promise<(command: Command, terminal: Terminal) => void>
}

/**
 * What agents, servers and shells start, and the default command. They are not in the short help.
 */
export const HIDDEN = 'Not in the first help'

/**
 * In the order of the help. Each command is imported when it is called, or when all have to be
 * known.
 */
export const commandGroups: Readonly<Record<string, Readonly<Record<string, CommandFile>>>> = {
  See: {
    sessions: {
      summary: 'list the sessions of coding agents on this machine',
      load: async () => (await import('./sessions.ts')).defineSessions,
    },
    cost: {
      summary: 'show what your sessions have cost, by day, model, project or block of five hours',
      load: async () => (await import('./cost.ts')).defineCost,
    },
    show: {
      summary: 'show what was said in a session, as Markdown',
      load: async () => (await import('./show.ts')).defineShow,
    },
    inspect: {
      summary: 'show where the tokens of a session are',
      load: async () => (await import('./inspect.ts')).defineInspect,
    },
    diff: {
      summary: 'show what a compression did, and compare the session with its original',
      load: async () => (await import('./diff.ts')).defineDiff,
    },
    replay: {
      summary: 'replay a session: when to compress it, and what it would have cost',
      load: async () => (await import('./replay.ts')).defineReplay,
    },
  },
  'Make it fit, keep it valid': {
    compress: {
      summary: 'make a session fit, as a new session',
      load: async () => (await import('./compress.ts')).defineCompress,
    },
    clone: {
      summary: 'rewrite a session in zones and bands, as a new session',
      load: async () => (await import('./clone.ts')).defineClone,
    },
    check: {
      summary: 'find what a provider would reject, and repair it',
      load: async () => (await import('./check.ts')).defineCheck,
    },
  },
  'Get it back': {
    undo: {
      summary: 'return to the original of a compressed session, with later messages',
      load: async () => (await import('./undo.ts')).defineUndo,
    },
    restore: {
      summary: 'print the original of a compressed session, byte for byte',
      load: async () => (await import('./restore.ts')).defineRestore,
    },
    recall: {
      summary: 'search what compressions removed from a session',
      load: async () => (await import('./recall.ts')).defineRecall,
    },
    archive: {
      summary: 'show, collect and verify the kept originals',
      load: async () => (await import('./archive.ts')).defineArchive,
    },
  },
  Chat: {
    chat: {
      summary: 'chat with a model about this folder, without running out of window',
      load: async () => (await import('./chat.ts')).defineChat,
    },
  },
  'Inside your agent': {
    wrap: {
      summary: 'start a coding agent whose requests go through precis',
      load: async () => (await import('./wrap.ts')).defineWrap,
    },
    install: {
      summary: 'add the recall tool and hooks to a coding agent ("uninstall" removes them)',
      load: async () => (await import('./install.ts')).defineInstall,
    },
  },
  'On a server': {
    serve: {
      summary: "pass agents' requests to their providers, and compress what would not fit",
      load: async () => (await import('./serve.ts')).defineServe,
    },
    doctor: {
      summary: 'send a real request through every hop between an agent and its provider',
      load: async () => (await import('./doctor.ts')).defineDoctor,
    },
  },
  [HIDDEN]: {
    uninstall: {
      summary: 'remove everything that install added',
      load: async () => (await import('./uninstall.ts')).defineUninstall,
    },
    overview: {
      summary: 'show all sessions by project and every compaction (the default command)',
      load: async () => (await import('./overview.ts')).defineOverview,
    },
    worker: {
      summary: 'compress what other machines submit to a PostgreSQL database',
      load: async () => (await import('./worker.ts')).defineWorker,
    },
    statusline: {
      summary: 'print the status line of an agent: window, cache, cost of compacting',
      load: async () => (await import('./statusline.ts')).defineStatusline,
    },
    mcp: {
      summary: "offer recall, inspect and compress to an agent's model, as an MCP server",
      load: async () => (await import('./mcp.ts')).defineMcp,
    },
    hook: {
      summary: 'run by agents before they compact a session',
      load: async () => (await import('./hook.ts')).defineHook,
    },
  },
}

/** Removed names, with the command that does the same. They are deleted in the next version. */
export const renamed: Readonly<Record<string, Successor>> = {
  explain: { name: 'diff' },
  advise: { name: 'replay', option: 'advise' },
}

/** What people of other tools type, with the command that does it. */
export const sought: Readonly<Record<string, string>> = {
  search: 'sessions --search <text>',
  list: 'sessions',
  convert: 'compress <session> --to <agent>',
  export: 'show <session> --all --out <file>',
  usage: 'cost',
  stats: 'cost',
}

export interface Successor {
  readonly name: string
  /** The option that is turned on. */
  readonly option?: string
}
