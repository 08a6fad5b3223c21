/** The three scenarios as a table: in each state, what each event leads to and what it gives. */

import { describe, expect, test } from 'vitest'
import { isSameList } from '../conversation/lists.ts'
import { middleOut } from '../strategies/index.ts'
import {
  type ChatMessage,
  createGate,
  fill,
  type Gate,
  listen,
  open,
  THRESHOLD,
  throwing,
  until,
  user,
  WINDOW,
  working,
} from './context.suite.ts'
import type { Context } from './context.ts'

type StateName =
  | 'empty'
  | 'below'
  | 'due'
  | 'too-large'
  | 'automatic'
  | 'manual'
  | 'switching'
  | 'paused'
  | 'ahead'
  | 'prepared'
  | 'compressed'

interface Setting {
  readonly context: Context<ChatMessage>
  readonly gate: Gate
  readonly told: string[]
  /** What the state waits for, such as the request that compresses. */
  readonly running: Promise<unknown>[]
}

const SMALLER = { model: 'gpt-5-mini', windowTokens: 1_500 }

const arrange: Readonly<Record<StateName, () => Promise<Setting>>> = {
  empty: async () => begin(open({ summarizer: working })),
  below: async () => filled(begin(open({ summarizer: working })), 2_000),
  due: async () => filled(begin(open({ summarizer: working })), THRESHOLD),
  'too-large': async () => filled(begin(open({ summarizer: working })), WINDOW + 500),
  async automatic() {
    const setting = filled(beginSlow(), THRESHOLD)
    setting.running.push(setting.context.prepare())
    await setting.gate.asked()
    return setting
  },
  async manual() {
    const setting = filled(beginSlow(), 2_000)
    setting.running.push(setting.context.compress())
    await setting.gate.asked()
    return setting
  },
  async switching() {
    const setting = filled(beginSlow(), 2_000)
    setting.running.push(setting.context.switchModel(SMALLER.model, SMALLER))
    await setting.gate.asked()
    return setting
  },
  async paused() {
    const setting = begin(open({ summarizer: throwing, strategy: middleOut }))
    filled(setting, THRESHOLD)
    for (let failure = 0; failure < 3; failure++) {
      await setting.context.prepare()
      setting.context.append(user('and now?'))
    }
    return setting
  },
  async ahead() {
    const setting = filled(beginSlow({ prepareAhead: 0.5 }), 2_400)
    await setting.context.prepare()
    await setting.gate.asked()
    return setting
  },
  async prepared() {
    const setting = await arrange.ahead()
    setting.gate.release()
    await until(() => setting.context.state.isPrepared)
    return setting
  },
  async compressed() {
    const setting = await arrange.due()
    await setting.context.prepare()
    return setting
  },
}

function begin(context: Context<ChatMessage>, gate = createGate()): Setting {
  return { context, gate, told: listen(context), running: [] }
}

function beginSlow(options: { readonly prepareAhead?: number } = {}): Setting {
  const gate = createGate()
  return begin(open({ summarizer: gate.summarizer, ...options }), gate)
}

function filled(setting: Setting, tokens: number): Setting {
  fill(setting.context, tokens)
  return setting
}

type EventName =
  | 'append'
  | 'prepare'
  | 'prepare twice'
  | 'prepare, aborted'
  | 'compress'
  | 'compress twice'
  | 'compress, aborted'
  | 'undo'
  | 'low usage'
  | 'high usage'
  | 'useless usage'
  | 'switch to the same'
  | 'switch to a larger'
  | 'switch to a smaller'
  | 'switch to a tiny'
  | 'switch, aborted'
  | 'preview'
  | 'pin'

/** Does it, lets what runs come to its end, and says in a word what came of it. */
const act: Readonly<Record<EventName, (setting: Setting) => Promise<string>>> = {
  append: async (setting) => {
    const { length } = setting.context.messages
    setting.context.append(user('one more'))
    const given = `${setting.context.messages.length - length} more`
    await settle(setting)
    return setting.context.messages.some(({ content }) => content === 'one more') ? given : 'lost'
  },
  prepare: async (setting) => describeRequest(await settleWith(setting, setting.context.prepare())),
  'prepare twice': async (setting) => {
    const both = Promise.all([setting.context.prepare(), setting.context.prepare()])
    const [first, second] = await settleWith(setting, both)
    return isSameList(first.messages, second.messages) ? describeRequest(second) : 'two histories'
  },
  'prepare, aborted': async (setting) => {
    const controller = new AbortController()
    const preparing = setting.context.prepare({ signal: controller.signal })
    controller.abort(new Error('stop'))
    const given = await preparing.then(
      describeRequest,
      (error: Error) => `rejected: ${error.message}`,
    )
    await settle(setting)
    return given
  },
  compress: async (setting) => (await settleWith(setting, setting.context.compress())).outcome.type,
  'compress twice': async (setting) => {
    const both = Promise.all([setting.context.compress(), setting.context.compress()])
    const [first, second] = await settleWith(setting, both)
    return first === second ? `one ${first.outcome.type}` : 'two'
  },
  'compress, aborted': async (setting) => {
    const controller = new AbortController()
    const compressing = setting.context.compress({ signal: controller.signal })
    controller.abort()
    const given = (await compressing).outcome.type
    await settle(setting)
    return given
  },
  undo: async (setting) => {
    const given = String(setting.context.undo())
    await settle(setting)
    return given
  },
  'low usage': async ({ context }) => {
    context.recordUsage({ inputTokens: 1_900, outputTokens: 100 })
    return String(context.state.tokens)
  },
  'high usage': async ({ context }) => {
    context.recordUsage({ inputTokens: THRESHOLD - 100, outputTokens: 100 })
    return String(context.state.tokens)
  },
  'useless usage': async ({ context }) => {
    const { tokens } = context.state
    context.recordUsage({ inputTokens: 0, outputTokens: 0 })
    return context.state.tokens === tokens ? 'passed over' : 'believed'
  },
  'switch to the same': async (setting) => await doSwitch(setting, 'gpt-5', WINDOW),
  'switch to a larger': async (setting) => await doSwitch(setting, 'gpt-5-mini', 100_000),
  'switch to a smaller': async (setting) =>
    await doSwitch(setting, SMALLER.model, SMALLER.windowTokens),
  'switch to a tiny': async (setting) => await doSwitch(setting, 'gpt-5-mini', 30),
  'switch, aborted': async (setting) => {
    const controller = new AbortController()
    const switching = setting.context.switchModel(SMALLER.model, {
      ...SMALLER,
      signal: controller.signal,
    })
    controller.abort()
    const { outcome } = await switching
    await settle(setting)
    return outcome.type
  },
  preview: async (setting) => {
    const { verdict } = await setting.context.previewSwitch(SMALLER.model, SMALLER)
    await settle(setting)
    return verdict
  },
  pin: async (setting) => {
    setting.context.pin('Never touch src/legacy.ts.')
    setting.context.pin('Never touch src/legacy.ts.')
    await settle(setting)
    return setting.context.state.pins.join(' ')
  },
}

async function doSwitch(setting: Setting, model: string, windowTokens: number): Promise<string> {
  const { outcome } = await settleWith(
    setting,
    setting.context.switchModel(model, { windowTokens }),
  )
  return outcome.type
}

function describeRequest({ fits, compression }: Awaited<ReturnType<Context['prepare']>>): string {
  return `${fits ? 'fits' : 'does not fit'}, ${compression ? compression.outcome.type : 'as it is'}`
}

async function settleWith<T>(setting: Setting, doing: Promise<T>): Promise<T> {
  const releasing = setInterval(() => setting.gate.release(), 1)
  try {
    return await doing
  } finally {
    clearInterval(releasing)
    await settle(setting)
  }
}

async function settle({ running, gate }: Setting): Promise<void> {
  const releasing = setInterval(() => gate.release(), 1)
  await Promise.allSettled(running)
  clearInterval(releasing)
}

/** Two runs at the same time end in either order. */
const sortByRun = (told: readonly string[]): string[] => {
  const isAhead = (line: string) => line.endsWith(' ahead')
  return [...told.filter((line) => !isAhead(line)), ...told.filter(isAhead)]
}

/** The state as the host sees it. */
function look({ state }: Context<ChatMessage>): string {
  const words = [
    state.isCompressing && 'compressing',
    state.needsCompression && 'due',
    state.isPrepared && 'prepared',
    state.isPaused && 'paused',
    state.undoable > 0 && 'undoable',
    state.model !== 'gpt-5' && state.model,
  ]
  return words.filter((word) => word !== false).join(' ') || 'quiet'
}

type Row = readonly [
  state: StateName,
  event: EventName,
  gives: string,
  next: string,
  told: readonly string[],
]

const applied = (trigger: string) => [`planned ${trigger}`, `applied ${trigger} compressed`]
const SWITCHED = 'switched gpt-5 gpt-5-mini'
const SHORTENED = [...applied('model-switch'), SWITCHED]
const BOTH = [...applied('threshold'), ...applied('manual')]
const AHEAD = 'planned threshold ahead'
const DROPPED = 'skipped threshold discarded ahead'
const REPLACED = [AHEAD, 'planned manual', DROPPED, 'applied manual compressed']
const GIVEN_UP = ['planned model-switch', 'skipped model-switch aborted']
const FAILURE = ['planned threshold', 'failed threshold summary-failed']
const FAILURES = [...FAILURE, ...FAILURE, ...FAILURE]

const rows: readonly Row[] = [
  ['empty', 'append', '1 more', 'quiet', []],
  ['empty', 'prepare', 'fits, as it is', 'quiet', []],
  ['empty', 'prepare twice', 'fits, as it is', 'quiet', []],
  ['empty', 'prepare, aborted', 'fits, as it is', 'quiet', []],
  ['empty', 'compress', 'unchanged', 'quiet', ['planned manual', 'skipped manual unchanged']],
  ['empty', 'undo', 'false', 'quiet', []],
  ['empty', 'low usage', '2000', 'quiet', []],
  ['empty', 'high usage', '3200', 'due', []],
  ['empty', 'useless usage', 'passed over', 'quiet', []],
  ['empty', 'switch to the same', 'unchanged', 'quiet', []],
  ['empty', 'switch to a smaller', 'switched', 'gpt-5-mini', [SWITCHED]],
  ['empty', 'preview', 'fits', 'quiet', []],
  ['empty', 'pin', 'Never touch src/legacy.ts.', 'quiet', []],

  ['below', 'append', '1 more', 'quiet', []],
  ['below', 'prepare', 'fits, as it is', 'quiet', []],
  ['below', 'prepare twice', 'fits, as it is', 'quiet', []],
  ['below', 'prepare, aborted', 'fits, as it is', 'quiet', []],
  ['below', 'compress', 'compressed', 'undoable', applied('manual')],
  ['below', 'compress twice', 'one compressed', 'undoable', applied('manual')],
  ['below', 'compress, aborted', 'aborted', 'quiet', ['planned manual', 'skipped manual aborted']],
  ['below', 'undo', 'false', 'quiet', []],
  ['below', 'low usage', '2000', 'quiet', []],
  ['below', 'high usage', '3200', 'due', []],
  ['below', 'useless usage', 'passed over', 'quiet', []],
  ['below', 'switch to the same', 'unchanged', 'quiet', []],
  ['below', 'switch to a larger', 'switched', 'gpt-5-mini', [SWITCHED]],
  ['below', 'switch to a smaller', 'switched', 'undoable gpt-5-mini', SHORTENED],
  ['below', 'switch to a tiny', 'cannot-fit', 'quiet', []],
  ['below', 'switch, aborted', 'aborted', 'quiet', []],
  ['below', 'preview', 'fits-after-summary', 'quiet', []],
  ['below', 'pin', 'Never touch src/legacy.ts.', 'quiet', []],

  ['due', 'append', '1 more', 'due', []],
  ['due', 'prepare', 'fits, compressed', 'undoable', applied('threshold')],
  ['due', 'prepare twice', 'fits, compressed', 'undoable', applied('threshold')],
  [
    'due',
    'prepare, aborted',
    'rejected: stop',
    'due',
    ['planned threshold', 'skipped threshold aborted'],
  ],
  ['due', 'compress', 'compressed', 'undoable', applied('manual')],
  ['due', 'compress, aborted', 'aborted', 'due', ['planned manual', 'skipped manual aborted']],
  ['due', 'undo', 'false', 'due', []],
  ['due', 'low usage', '2000', 'quiet', []],
  ['due', 'high usage', '3200', 'due', []],
  ['due', 'useless usage', 'passed over', 'due', []],
  ['due', 'switch to the same', 'unchanged', 'due', []],
  ['due', 'switch to a larger', 'switched', 'gpt-5-mini', [SWITCHED]],
  ['due', 'switch to a smaller', 'switched', 'undoable gpt-5-mini', SHORTENED],
  ['due', 'switch to a tiny', 'cannot-fit', 'due', []],

  ['too-large', 'prepare', 'fits, compressed', 'undoable', applied('threshold')],
  ['too-large', 'compress', 'compressed', 'undoable', applied('manual')],
  ['too-large', 'switch to a larger', 'switched', 'gpt-5-mini', [SWITCHED]],

  ['automatic', 'append', '1 more', 'undoable', applied('threshold')],
  ['automatic', 'prepare', 'fits, compressed', 'undoable', applied('threshold')],
  ['automatic', 'prepare twice', 'fits, compressed', 'undoable', applied('threshold')],
  ['automatic', 'prepare, aborted', 'rejected: stop', 'undoable', applied('threshold')],
  ['automatic', 'compress', 'compressed', 'undoable', BOTH],
  ['automatic', 'compress twice', 'one compressed', 'undoable', BOTH],
  ['automatic', 'compress, aborted', 'aborted', 'undoable', applied('threshold')],
  ['automatic', 'undo', 'false', 'undoable', applied('threshold')],
  ['automatic', 'switch to the same', 'unchanged', 'undoable', applied('threshold')],
  ['automatic', 'switch to a larger', 'busy', 'undoable', applied('threshold')],
  ['automatic', 'switch to a smaller', 'busy', 'undoable', applied('threshold')],
  ['automatic', 'preview', 'busy', 'undoable', applied('threshold')],
  ['automatic', 'pin', 'Never touch src/legacy.ts.', 'undoable', applied('threshold')],

  ['manual', 'append', '1 more', 'undoable', applied('manual')],
  ['manual', 'prepare', 'fits, as it is', 'undoable', applied('manual')],
  ['manual', 'prepare, aborted', 'rejected: stop', 'undoable', applied('manual')],
  ['manual', 'compress', 'compressed', 'undoable', applied('manual')],
  ['manual', 'compress twice', 'one compressed', 'undoable', applied('manual')],
  ['manual', 'compress, aborted', 'aborted', 'undoable', applied('manual')],
  ['manual', 'undo', 'false', 'undoable', applied('manual')],
  ['manual', 'switch to a larger', 'busy', 'undoable', applied('manual')],
  ['manual', 'preview', 'busy', 'undoable', applied('manual')],

  ['switching', 'append', '1 more', 'undoable gpt-5-mini', SHORTENED],
  ['switching', 'prepare', 'fits, as it is', 'undoable gpt-5-mini', SHORTENED],
  ['switching', 'prepare, aborted', 'rejected: stop', 'undoable gpt-5-mini', SHORTENED],
  ['switching', 'undo', 'false', 'undoable gpt-5-mini', SHORTENED],
  ['switching', 'switch to a larger', 'switched', 'gpt-5-mini', [...GIVEN_UP, SWITCHED]],
  ['switching', 'switch to the same', 'unchanged', 'quiet', GIVEN_UP],
  ['switching', 'preview', 'busy', 'undoable gpt-5-mini', SHORTENED],

  [
    'paused',
    'prepare',
    'fits, compressed',
    'paused undoable',
    [...FAILURES, ...applied('threshold')],
  ],
  [
    'paused',
    'compress',
    'summary-failed',
    'due paused',
    [...FAILURES, 'planned manual', 'failed manual summary-failed'],
  ],
  ['paused', 'switch to a larger', 'switched', 'paused gpt-5-mini', [...FAILURES, SWITCHED]],

  ['ahead', 'append', '1 more', 'quiet', [AHEAD]],
  ['ahead', 'prepare', 'fits, as it is', 'quiet', [AHEAD]],
  ['ahead', 'compress', 'compressed', 'undoable', REPLACED],
  ['ahead', 'switch to a larger', 'switched', 'gpt-5-mini', [AHEAD, SWITCHED, DROPPED]],

  ['prepared', 'append', '1 more', 'prepared', [AHEAD]],
  ['prepared', 'prepare', 'fits, as it is', 'prepared', [AHEAD]],
  ['prepared', 'compress', 'compressed', 'undoable', REPLACED],
  ['prepared', 'high usage', '3200', 'due prepared', [AHEAD]],
  ['prepared', 'switch to a larger', 'switched', 'gpt-5-mini', [AHEAD, DROPPED, SWITCHED]],

  ['compressed', 'append', '1 more', 'undoable', applied('threshold')],
  ['compressed', 'prepare', 'fits, as it is', 'undoable', applied('threshold')],
  ['compressed', 'compress', 'compressed', 'undoable', BOTH],
  ['compressed', 'undo', 'true', 'due', applied('threshold')],
  [
    'compressed',
    'switch to a larger',
    'switched',
    'undoable gpt-5-mini',
    [...applied('threshold'), SWITCHED],
  ],
]

describe('the state table', () => {
  test.each(rows)(
    '%s: %s gives "%s" and leads to "%s"',
    async (state, event, gives, next, told) => {
      const setting = await arrange[state]()
      const before = setting.context.messages
      expect(await act[event](setting)).toBe(gives)
      await until(() => setting.told.length >= told.length)
      // Nothing more may come.
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(look(setting.context)).toBe(next)
      expect(sortByRun(setting.told)).toEqual(sortByRun(told))
      const isKept = /^(?:aborted|busy|cannot-fit|unchanged)$/.test(gives)
      if (isKept && setting.running.length === 0) expect(setting.context.messages).toBe(before)
    },
  )
})
