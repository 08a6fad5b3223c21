/**
 * Every public entry says which of its options is bad, what was found and what is allowed; nothing
 * bad is taken without a word.
 */
import { describe, expect, test } from 'vitest'
import packageOfCore from '../packages/core/package.json' with { type: 'json' }
import { createContext, restoreContext } from '../packages/core/src/context/create-context.ts'
import { createRecall } from '../packages/core/src/context/recall.ts'
import {
  apply,
  findCutPoints,
  findLastUserRequest,
  findTurns,
  readText,
  renderPart,
} from '../packages/core/src/conversation/index.ts'
import {
  checkInvariants,
  repairInvariants,
} from '../packages/core/src/conversation/invariants/index.ts'
import { digest } from '../packages/core/src/digest/digest.ts'
import { applyStrategies } from '../packages/core/src/engine/apply-strategies.ts'
import { checkLimits } from '../packages/core/src/engine/check-limits.ts'
import {
  compress,
  compressConversation,
} from '../packages/core/src/engine/compress-conversation.ts'
import * as economics from '../packages/core/src/engine/economics.ts'
import { inspect } from '../packages/core/src/engine/inspect.ts'
import { countCompactionBudget } from '../packages/core/src/engine/summarize-conversation.ts'
import { unpin } from '../packages/core/src/engine/unpin.ts'
import {
  createReceipt,
  extractFacts,
  findCompactionLosses,
  findTasks,
  withoutQuotesOf,
  withoutRepeatedWords,
} from '../packages/core/src/facts/index.ts'
import { createFollower } from '../packages/core/src/following/follow.ts'
import { createMemoryStore } from '../packages/core/src/following/memory-store.ts'
import {
  beginsWith,
  canImport,
  convertConversation,
  describeMessages,
  findGrowth,
  formats,
  joinSessions,
  readRows,
  readWhole,
  serializeConverted,
  toModelMessages,
} from '../packages/core/src/formats/index.ts'
import * as aiSdk from '../packages/core/src/integrations/ai-sdk.ts'
import { wrapAnthropic } from '../packages/core/src/integrations/anthropic.ts'
import { wrapGoogle } from '../packages/core/src/integrations/google.ts'
import * as langchain from '../packages/core/src/integrations/langchain.ts'
import { wrapOpenAI } from '../packages/core/src/integrations/openai.ts'
import { wrapTanStackAI } from '../packages/core/src/integrations/tanstack-ai.ts'
import { findModel } from '../packages/core/src/models/find-model.ts'
import { createBands, findTurnBands } from '../packages/core/src/strategies/bands.ts'
import { createClearReasoning } from '../packages/core/src/strategies/clear-reasoning.ts'
import { createClearTools } from '../packages/core/src/strategies/clear-tools.ts'
import { createHighDensity } from '../packages/core/src/strategies/high-density.ts'
import { modelSummarizer } from '../packages/core/src/summarizers/model.ts'
import { chain } from '../packages/core/src/summarizers/summarizer.ts'
import { createTokenCounter } from '../packages/core/src/tokens/counter.ts'

/** No types: what a host without them gives. */
// biome-ignore lint/suspicious/noExplicitAny: the point of these tests
type Any = any

const circle: { role: string; content: unknown[] } = {
  role: 'user',
  content: [{ type: 'text', text: 'a' }],
}
circle.content.push({ circle })

const OBJECTS = [null, 5, 'text', true, []]
const NUMBERS = [null, Number.NaN, -1, '5', {}, true]
const FINITE = [...NUMBERS, Number.POSITIVE_INFINITY]
const COUNTS = [...FINITE, 1.5]
const SHARES = [...NUMBERS, 1.5]
const TEXTS = [null, 5, {}, ['a'], true]
const FLAGS = [null, 1, 'true', {}]
const FUNCTIONS = [null, 5, 'text', {}]
const PLUGINS = [null, 5, 'middle-out', {}, [], () => {}]
const SPARSE = Object.assign([], { length: 2 })
const TEXT_LISTS = [null, 'text', {}, [5], SPARSE]
const OBJECT_LISTS = [null, 'text', {}, ['text'], [null], SPARSE]
const HISTORIES = [...OBJECT_LISTS, [{ role: 'user', content: 5 }], [circle]]
const KEEPS = [
  null,
  5,
  {},
  { turns: -1 },
  { fraction: 2 },
  { tokens: 'all' },
  { turns: 1, tokens: 2 },
]
const SIGNALS = [null, 5, {}, 'text']
const ZONES = [null, 5, {}, { fraction: 2 }, { keepTokens: -1 }, { fraction: '1' }]

type Bad = Readonly<Record<string, readonly unknown[]>>

const settings: Bad = {
  windowTokens: [...FINITE, 0],
  reserveTokens: FINITE,
  threshold: [...SHARES, 0],
  target: [...SHARES, 0],
  prepareAhead: [...SHARES, 0],
  budgetBytes: NUMBERS,
  budgetImages: NUMBERS,
  strategy: PLUGINS,
  summarizer: PLUGINS,
  keep: [...OBJECTS, { head: {} }, { tail: { turns: -1 } }],
  instructions: TEXTS,
  pins: TEXT_LISTS,
  unpins: TEXT_LISTS,
  recall: [...OBJECTS, {}, { tool: 5 }],
  save: FLAGS,
  expectedRequests: NUMBERS,
  cacheLifetimeSeconds: NUMBERS,
  clock: [...OBJECTS, {}],
  archive: [...OBJECTS, {}],
  hooks: [...OBJECTS, { beforeCompression: 5 }],
}
const follower: Bad = {
  ...settings,
  maxConversations: [...COUNTS, 0],
  store: [...OBJECTS, {}],
  hash: FUNCTIONS,
  onProblem: FUNCTIONS,
}
const wrapped: Bad = {
  ...follower,
  perRequest: FUNCTIONS,
  on: [...OBJECTS, { nope: () => {} }, { 'model-switched': 5 }],
}
const engine: Bad = {
  model: TEXTS,
  counter: [...OBJECTS, {}],
  summarizer: PLUGINS,
  instructions: TEXTS,
  pins: TEXT_LISTS,
  recall: [...OBJECTS, {}],
  isKept: FLAGS,
  signal: SIGNALS,
  onProgress: FUNCTIONS,
}
const compression: Bad = {
  ...engine,
  budgetTokens: [undefined, ...NUMBERS],
  budgetBytes: NUMBERS,
  budgetImages: NUMBERS,
  requestLimits: OBJECTS,
  targetTokens: NUMBERS,
  triggerTokens: NUMBERS,
  strategy: PLUGINS,
  keep: [...OBJECTS, ...KEEPS.map((tail) => ({ tail }))],
  minRecall: SHARES,
  memory: [...OBJECTS, {}],
  keepPaths: TEXT_LISTS,
  keepTurns: [null, 5, ['1'], [0], [1.5], SPARSE],
  dropTools: TEXT_LISTS,
}

const history = [{ role: 'user', content: 'hello' }]
const open = () => createContext({ model: 'gpt-5', messages: history })
const follow = (options: Any = {}) => createFollower({ format: 'openai-chat', ...options })
const conversation = formats['openai-chat'].parse({ messages: history })
const counter = createTokenCounter(findModel('gpt-5'))
const snapshot = open().snapshot()
const openai = { chat: { completions: { create() {} } }, post() {} }
const anthropic = { messages: { create() {} }, post() {} }
class Models {
  generateContent() {}
  generateContentInternal() {}
  generateContentStreamInternal() {}
}
const adapter = { kind: 'text', name: 'a', model: 'b', async *chatStream() {} }
const google = { models: new Models(), chats: new Models() }
const languageModel = {
  name: 'a/b',
  contextWindowTokens: 1000,
  maxOutputTokens: 100,
  countTokens: () => 1,
  generate() {},
}
const request = { model: 'gpt-5', messages: history }
const usage = { inputTokens: 1, outputTokens: 1 }

/** What is called with `{ ...good, [option]: bad }`. */
const ENTRIES: readonly [name: string, run: (options: Any) => unknown, good: object, bad: Bad][] = [
  [
    'createContext',
    createContext as Any,
    { model: 'gpt-5' },
    {
      ...settings,
      model: [undefined, '', ...TEXTS],
      format: [null, 5, 'nope', {}],
      messages: HISTORIES,
      system: [5, true],
      tools: [...OBJECT_LISTS, [circle]],
    },
  ],
  [
    'restoreContext',
    (options) => restoreContext(snapshot, options),
    { model: 'gpt-5' },
    { model: [undefined], ...settings },
  ],
  [
    'context.append',
    ({ messages }) => open().append(...messages),
    {},
    { messages: [[null], ['text'], [5], [circle]] },
  ],
  ['context.prepare', (options) => open().prepare(options), {}, { signal: SIGNALS }],
  ['context.send', (options) => open().send(async () => 1, options), {}, { signal: SIGNALS }],
  ['context.send', ({ send }) => open().send(send), {}, { send: FUNCTIONS }],
  [
    'context.recordUsage',
    (given) => open().recordUsage(given),
    usage,
    {
      inputTokens: [undefined, ...FINITE, 1e308],
      outputTokens: [undefined, ...FINITE, 1e308],
      cachedInputTokens: FINITE,
      cacheWriteTokens: FINITE,
    },
  ],
  [
    'context.compress',
    (options) => open().compress(options),
    {},
    { instructions: TEXTS, budgetTokens: NUMBERS, signal: SIGNALS, onProgress: FUNCTIONS },
  ],
  [
    'context.switchModel',
    ({ model }) => open().switchModel(model),
    {},
    { model: [undefined, '', ...TEXTS] },
  ],
  [
    'context.switchModel',
    (options) => open().switchModel('gpt-4o', options),
    {},
    { windowTokens: FINITE, signal: SIGNALS },
  ],
  [
    'context.previewSwitch',
    ({ model }) => open().previewSwitch(model),
    {},
    { model: [undefined, '', ...TEXTS] },
  ],
  ['context.pin', ({ text }) => open().pin(text), {}, { text: [undefined, ...TEXTS] }],
  ['context.unpin', ({ text }) => open().unpin(text), {}, { text: [undefined, ...TEXTS] }],
  [
    'context.on',
    ({ name }) => open().on(name, () => {}),
    {},
    { name: [undefined, 'nope', 5, null] },
  ],
  [
    'context.on',
    ({ listener }) => open().on('model-switched', listener),
    {},
    { listener: [undefined, ...FUNCTIONS] },
  ],
  [
    'createFollower',
    createFollower as Any,
    { format: 'openai-chat' },
    { ...follower, format: [undefined, null, 'nope'] },
  ],
  [
    'follower.next',
    (given) => follow().next(given),
    request,
    {
      model: [undefined, ...TEXTS],
      key: TEXTS,
      messages: [undefined, ...HISTORIES],
      sentBefore: ['x', {}, { at: 1 }, { usage: {} }, { at: 'x', usage: {} }],
      system: [5, [circle]],
      tools: [...OBJECT_LISTS, [circle]],
      answerTokens: [...FINITE, 0],
      settings: [...OBJECTS, { windowTokens: -1 }, { strategy: 'auto' }],
    },
  ],
  ['follower.send', ({ send }) => follow().send(request, send), {}, { send: FUNCTIONS }],
  [
    'follower.find',
    (given) => follow().find(given),
    request,
    { messages: [undefined, null, 5], model: [undefined] },
  ],
  ['follower.on', ({ name }) => follow().on(name, () => {}), {}, { name: ['nope', 5, null] }],
  [
    'follower.conversation',
    ({ key }) => follow().conversation(key),
    {},
    { key: [undefined, '', ...TEXTS] },
  ],
  [
    'createMemoryStore',
    createMemoryStore as Any,
    {},
    { mostBytes: [...NUMBERS, 0], onEvict: FUNCTIONS, clock: OBJECTS },
  ],
  ['createRecall', createRecall as Any, {}, { name: ['', ...TEXTS] }],
  [
    'recall.search',
    ({ query, limit }) => createRecall().search(query, limit),
    { query: 'a' },
    { query: [null, 5], limit: COUNTS },
  ],
  [
    'compress',
    (options) => compress(history, options),
    { budgetTokens: 100 },
    { ...compression, format: [null, 'nope', 5] },
  ],
  [
    'compressConversation',
    (options) => compressConversation(conversation, options),
    { budgetTokens: 100 },
    compression,
  ],
  [
    'compressConversation',
    (given) => compressConversation(given.conversation, { budgetTokens: 9 }),
    {},
    { conversation: [...OBJECTS, {}] },
  ],
  [
    'applyStrategies',
    (options) => applyStrategies(conversation, [], options),
    {},
    { ...engine, dryRun: FLAGS },
  ],
  [
    'applyStrategies',
    ({ steps }) => applyStrategies(conversation, steps),
    {},
    { steps: [null, {}, ['bands'], SPARSE] },
  ],
  [
    'inspect',
    (given) => inspect(given.conversation, given.counter),
    { conversation, counter },
    { conversation: [...OBJECTS, {}], counter: [undefined, ...OBJECTS, {}] },
  ],
  [
    'unpin',
    ({ texts, ...options }) => unpin(history, texts, options),
    { texts: [] },
    { texts: TEXT_LISTS, format: [null, 'nope'] },
  ],
  [
    'createBands',
    createBands as Any,
    {},
    { bands: [...OBJECT_LISTS, [{}]], minTokens: NUMBERS, includeUser: FLAGS },
  ],
  [
    'createClearTools',
    createClearTools as Any,
    {},
    {
      mode: [null, 5, 'nope'],
      zone: ZONES,
      reasoningZone: ZONES,
      protect: TEXT_LISTS,
      only: TEXT_LISTS,
    },
  ],
  ['createClearReasoning', createClearReasoning as Any, {}, { zone: ZONES }],
  [
    'createHighDensity',
    createHighDensity as Any,
    {},
    { keepResults: NUMBERS, clearsStaleReads: FLAGS, clearsDuplicates: FLAGS },
  ],
  [
    'createTokenCounter',
    ({ model }) => createTokenCounter(model),
    {},
    { model: [undefined, ...OBJECTS, {}] },
  ],
  ['findModel', ({ id }) => findModel(id), {}, { id: [undefined, ...TEXTS] }],
  ['chain', (given) => chain(digest(), given['[1]']), {}, { '[1]': [undefined, ...PLUGINS] }],
  [
    'modelSummarizer',
    (options) => modelSummarizer(languageModel as Any, options),
    {},
    { strongModel: [...OBJECTS, {}], prompts: [...OBJECTS, {}] },
  ],
  [
    'modelSummarizer',
    ({ model }) => modelSummarizer(model),
    {},
    { model: [undefined, ...OBJECTS, {}] },
  ],
  [
    'createSummarizer',
    (options) =>
      aiSdk.createSummarizer(
        { provider: 'a', modelId: 'b', async doGenerate() {} } as Any,
        options,
      ),
    {},
    {
      contextWindowTokens: [...FINITE, 0],
      timeoutMs: [...NUMBERS, 0, 2 ** 31],
      prompts: [...OBJECTS, {}],
    },
  ],
  [
    'createSummarizer',
    ({ model }) => aiSdk.createSummarizer(model),
    {},
    { model: [undefined, ...OBJECTS, {}] },
  ],
  [
    'createChatModelSummarizer',
    ({ model }) => langchain.createChatModelSummarizer(model),
    {},
    { model: [undefined, ...OBJECTS, {}] },
  ],
  ['wrapOpenAI', (options) => wrapOpenAI(openai as Any, options), {}, wrapped],
  ['wrapAnthropic', (options) => wrapAnthropic(anthropic as Any, options), {}, wrapped],
  ['wrapTanStackAI', (options) => wrapTanStackAI(adapter as Any, options), {}, wrapped],
  ['wrapGoogle', (options) => wrapGoogle(google as Any, options), {}, wrapped],
  ['precisMiddleware', aiSdk.precisMiddleware as Any, {}, wrapped],
  [
    'precisPrepareStep',
    aiSdk.precisPrepareStep as Any,
    {},
    { ...wrapped, tools: OBJECT_LISTS, key: TEXTS },
  ],
  [
    'precisAgentMiddleware',
    langchain.precisAgentMiddleware as Any,
    {},
    { ...wrapped, model: TEXTS },
  ],
]

/** Given by its place, not by a name. */
const POSITIONAL = [
  'context.append messages',
  'context.send send',
  'context.switchModel model',
  'context.previewSwitch model',
  'context.pin text',
  'context.unpin text',
  'context.on name',
  'context.on listener',
  'follower.send send',
  'follower.on name',
  'recall.search query',
  'recall.search limit',
  'compressConversation conversation',
  'applyStrategies steps',
  'inspect conversation',
  'inspect counter',
  'unpin texts',
  'createTokenCounter model',
  'modelSummarizer model',
  'createSummarizer model',
  'createChatModelSummarizer model',
]

/** The error of a call, now or later. */
async function findError(run: () => unknown): Promise<unknown> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error
  }
}

describe.each(ENTRIES)('%s', (entry, run, good, bad) => {
  test.each(Object.keys(bad))('tells a bad %s', async (option) => {
    for (const value of bad[option] ?? []) {
      const error = await findError(() => run({ ...good, [option]: value }))
      expect(error, `${option}: ${String(value)}`).toBeInstanceOf(Error)
      const { message } = error as Error
      expect(message).toMatch(
        /^[A-Z][^\n]*: [^\n]*\. (Give|A band) [^\n]*\.$|^Compressing messages as /u,
      )
      if (!message.includes('contains itself') && !message.includes('band'))
        expect(message).toContain(option)
    }
  })

  const named = (option: string) => !POSITIONAL.includes(`${entry} ${option}`)
  test.each(Object.keys(bad).filter((option) => option.length > 5 && named(option)))(
    'tells what was meant by a misspelt %s',
    async (option) => {
      const [first, ...letters] = option
      const misspelt = [
        option.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^/, '_'),
        `${letters[0]}${first}${letters.slice(1).join('')}`,
        `${option}s`,
        option.slice(0, -1),
      ].filter((name) => !(name in bad) && !(name in good))
      for (const name of misspelt) {
        const error = await findError(() => run({ ...good, [option]: undefined, [name]: 1 }))
        expect(String(error)).toMatch(/^TypeError: [A-Z].*: there is no option .* Did you mean "/)
        expect(String(error)).toContain(option)
      }
    },
  )

  test('leaves members of other names to the host', async () => {
    const others = { requestId: 'r1', metadata: {}, user: 'user 7', lock: 1, safe: 'no', block: {} }
    const error = await findError(() => run({ ...good, ...others }))
    expect(String(error)).not.toContain('there is no option')
  })
})

test('a longer name is told if its value fits, such as the one that the catalogue has for a window', () => {
  const create = (contextWindowTokens: unknown) => {
    const options = { model: 'gpt-5', contextWindowTokens }
    return createContext(options)
  }
  expect(() => create(16_000)).toThrow('Did you mean "windowTokens"?')
  expect(create('of the host').state.windowTokens).toBeGreaterThan(16_000)
})

test('a longer name of the host that ends like an option of one word stays its own, and so does an opposite', () => {
  const words = { operatingSystem: 'linux', responseFormat: 'openai-chat', conversionTarget: 0.5 }
  const context = createContext({ model: 'gpt-5', ...words })
  const usage = { inputTokens: 9, outputTokens: 1, nonCachedInputTokens: 9 }
  expect(() => context.recordUsage(usage)).not.toThrow()
})

test.each(ENTRIES.filter(([, , good]) => Object.keys(good).length > 0))(
  '%s takes what is right',
  async (_, run, good) => {
    expect(await findError(() => run(good))).toBeUndefined()
  },
)

test('a class with the methods of a clock is one', () => {
  expect(() => createContext({ model: 'gpt-5', clock: Date })).not.toThrow()
})

test.each<[string, (options: Any) => unknown]>([
  ['createContext', createContext],
  ['createFollower', createFollower],
  ['createMemoryStore', createMemoryStore],
  ['compress', (options) => compress(history, options)],
  ['context.compress', (options) => open().compress(options)],
  ['context.prepare', (options) => open().prepare(options)],
  ['context.recordUsage', (options) => open().recordUsage(options)],
  ['wrapOpenAI', (options) => wrapOpenAI(openai as Any, options)],
  ['createBands', createBands],
])('%s tells what is no object of options', async (_, run) => {
  for (const value of [null, 5, 'text', []]) {
    expect(String(await findError(() => run(value)))).toMatch(
      /^TypeError: [A-Z].*: options is .*\. Give an object\.$/,
    )
  }
})

test.each<[string, (value: Any) => unknown]>([
  ['findTurns', findTurns],
  ['findLastUserRequest', findLastUserRequest],
  ['findCutPoints', findCutPoints],
  ['apply', (value) => apply(value, [])],
  ['apply, edits', (value) => apply({ protocol: 'openai-chat', messages: [], tools: [] }, value)],
  ['checkInvariants', checkInvariants],
  ['repairInvariants', repairInvariants],
  ['extractFacts', (value) => extractFacts(value)],
  ['findTasks', (value) => findTasks(value)],
  ['createReceipt', createReceipt],
  ['checkLimits', (value) => checkLimits(value, {})],
  ['renderPart', renderPart],
  ['readText', readText],
  ['describeMessages', describeMessages],
  ['joinSessions', joinSessions],
  ['findGrowth', (value) => findGrowth(value, conversation, conversation)],
  ['beginsWith', (value) => beginsWith(conversation, value)],
  ['readWhole', (value) => readWhole(formats.pi, value)],
  ['canImport', canImport],
  ['convertConversation', (value) => convertConversation(conversation, value)],
  ['serializeConverted', (value) => serializeConverted(value, formats.pi, {} as Any, {} as Any)],
  ['toModelMessages', toModelMessages],
  ['readRows', readRows],
  ['countCompactionBudget', (value) => countCompactionBudget(value, counter)],
  ['findCompactionLosses', findCompactionLosses],
  ['withoutQuotesOf', (value) => withoutQuotesOf(value, [])],
  ['withoutRepeatedWords', withoutRepeatedWords],
  ['findTurnBands', (value) => findTurnBands(1, value)],
  ['priceTokens', (value) => economics.priceTokens(value, economics.UNIT_PRICES)],
  ['pricePrompt', (value) => economics.pricePrompt(5, 0, value)],
])('%s names the argument, what it found and what is allowed', async (_, run) => {
  for (const value of [null, undefined, 5, 'text']) {
    expect(String(await findError(() => run(value)))).toMatch(
      /^TypeError: [A-Z][a-z ]+: \w+ is (?:null|undefined|5|"text")\. Give an? .*\.$/,
    )
  }
})

test.each<[string, (value: Any) => unknown]>([
  ['findTurns', findTurns],
  ['checkInvariants', (value) => checkInvariants({ ...conversation, messages: value })],
  ['extractFacts', extractFacts],
  [
    'compressConversation',
    (value) => compressConversation({ ...conversation, messages: value }, { budgetTokens: 9 }),
  ],
  ['describeMessages', describeMessages],
])('%s names a list with holes, and messages without parts', async (_, run) => {
  for (const value of [
    SPARSE,
    [null],
    [5],
    [{}],
    [{ role: 'user' }],
    [{ role: 'user', parts: [null] }],
  ])
    expect(String(await findError(() => run(value)))).toMatch(/^TypeError: [A-Z][a-z ]+: \w+ is a/)
})

/** What an engine says of a value that it cannot use, such as "x is not iterable". */
const OF_ENGINE =
  /^Cannot |^Class constructor| is (?:not|undefined|null)\b.*(?:function|iterable|defined|constructor)|^Invalid |^Reduce of|called on (?:null|incompatible)|^Maximum call|must be/

const entries = Object.entries(packageOfCore.exports).flatMap(([subPath, { default: file }]) =>
  subPath === '.' ? [] : [[subPath, file.replace('dist', 'src').replace(/\.js$/, '.ts')] as const],
)

test.each(entries)('no function of %s fails in words of the engine', async (_, file) => {
  const functions = Object.entries(
    await import(/* @vite-ignore */ `../packages/core/${file}`),
  ).filter(
    // A class of errors takes what `Error` takes.
    ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
  ) as [string, Any][]
  const bad = [undefined, null, 5, Number.NaN, 5n, 'text', Symbol('a'), [], {}, SPARSE, [null]]
  for (const [name, call] of functions)
    for (const value of [...bad, circle])
      for (const given of [[value], Array(Math.max(call.length, 3)).fill(value)]) {
        const error = await findError(() => call(...given))
        // Data that JSON cannot say ends in the words of JSON.
        if (error instanceof TypeError && /JSON|serialize/.test(error.message)) continue
        expect((error as Error | undefined)?.message ?? '', name).not.toMatch(OF_ENGINE)
      }
})
