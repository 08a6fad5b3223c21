/** What the options of contexts, followers and wrapped clients may be. */
import {
  aCountFrom1,
  aFiniteNumber,
  aFlag,
  aFunction,
  allOf,
  aName,
  aNumber,
  aNumberAbove0,
  aShare,
  aSignal,
  aText,
  checkOptions,
  checkValue,
  isObject,
  type Kind,
  type Kinds,
  objectOf,
  objects,
  oneOf,
  texts,
  tokens,
  withMethods,
} from '../conversation/check-options.ts'
import { aKeepOfEnds, aRecallPath, aStrategy } from '../engine/option-kinds.ts'
import { requestFormats } from '../formats/request-formats.ts'
import { aSummarizer } from '../summarizers/summarizer.ts'
import { assertTree } from './assert-tree.ts'
import { spends } from './settings.ts'

const aFormat = oneOf(Object.keys(requestFormats))
const aClock = withMethods('a clock', 'now')

/** Options of every conversation, whoever keeps its list. */
const settings: Kinds = {
  windowTokens: aNumberAbove0,
  reserveTokens: aFiniteNumber,
  spend: oneOf(spends),
  threshold: aShare,
  target: aShare,
  prepareAhead: aShare,
  budgetBytes: aNumber,
  budgetImages: aNumber,
  strategy: aStrategy,
  summarizer: aSummarizer,
  keep: aKeepOfEnds,
  instructions: aText,
  pins: texts,
  unpins: texts,
  recall: aRecallPath,
  expectedRequests: aNumber,

  save: aFlag,
  cacheLifetimeSeconds: aNumber,
  clock: aClock,
  archive: withMethods('an archive', 'store'),
  hooks: objectOf({ beforeCompression: aFunction }),
}

function isBlocks(value: unknown): boolean {
  const entries: readonly unknown[] = Array.isArray(value) ? Array.from(value) : [value ?? '']
  return entries.every((entry) => typeof entry === 'string' || isObject(entry))
}

/** As APIs take it: a text, blocks or a message. */
const aSystem: Kind = {
  allowed: 'a text, or what the API takes',
  accepts: isBlocks,
}

const usageKinds: Kinds = {
  inputTokens: tokens,
  outputTokens: tokens,
  reasoningTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteTokens: tokens,
}

const sentBefore = allOf({ at: aNumber, usage: objectOf(usageKinds) })

const contextKinds: Kinds = {
  model: aName,
  format: aFormat,
  messages: objects,
  system: aSystem,
  tools: objects,
  sentBefore,
  ...settings,
}

/** Throws `TypeError` and `RangeError`. */
export function checkContextOptions(doing: string, options: unknown): void {
  checkOptions(doing, options, contextKinds, ['model'])
  const { messages, system, tools } = options as {
    messages?: readonly object[]
    system?: unknown
    tools?: unknown
  }
  if (messages) assertMessages(doing, messages)
  assertTree(doing, [system, tools])
}

/** Also allows `Infinity`. */
const aSizeAbove0: Kind = {
  allowed: 'a number above 0',
  accepts: (value) => typeof value === 'number' && value > 0,
}

const STORE_METHODS = ['find', 'write', 'list', 'delete']

export const followerKinds: Kinds = {
  ...settings,
  maxConversations: aCountFrom1,
  store: withMethods('a store', ...STORE_METHODS),
  hash: aFunction,
  onProblem: aFunction,
}

export function checkFollowerOptions(doing: string, options: unknown): void {
  checkOptions(doing, options, { ...followerKinds, format: aFormat }, ['format'])
}

const requestKinds: Kinds = {
  model: aText,
  key: aText,
  messages: objects,
  system: aSystem,
  tools: objects,
  answerTokens: aNumberAbove0,
  settings: objectOf(settings),
  sentBefore,
}

/** The messages themselves are checked when they are new. */
export const checkRequest = (request: unknown): void =>
  checkOptions('Following a request', request, requestKinds, ['model', 'messages'])

export const checkSignal = (options: unknown): void =>
  checkOptions('Preparing a request', options, { signal: aSignal })

export function checkSend(send: unknown, options: unknown): void {
  checkValue('Sending a request', 'send', send, aFunction)
  checkSignal(options)
}

export const checkPin = (doing: string, text: unknown): void =>
  checkValue(doing, 'text', text, aText)

const compressNowKinds: Kinds = {
  instructions: aText,
  budgetTokens: aNumber,
  signal: aSignal,
  onProgress: aFunction,
}

export const checkCompressNow = (options: unknown): void =>
  checkOptions('Compressing a context', options, compressNowKinds)

export function checkSwitch(model: unknown, options: unknown): void {
  checkValue('Switching the model', 'model', model, aName)
  checkOptions('Switching the model', options, { windowTokens: aNumberAbove0, signal: aSignal })
}

export const checkUsage = (usage: unknown): void =>
  checkOptions('Recording usage', usage, usageKinds, ['inputTokens', 'outputTokens'])

/** Every name of an event of a context or a follower. */
export const EVENT_NAMES = [
  'compression-planned',
  'compression-started',
  'compression-applied',
  'compression-skipped',
  'compression-failed',
  'compression-deferred',
  'model-switched',
] as const

export function checkListener(name: unknown, listener: unknown): void {
  checkValue('Listening to an event', 'name', name, oneOf(EVENT_NAMES))
  checkValue('Listening to an event', 'listener', listener, aFunction)
}

export const checkStoreOptions = (options: unknown): void =>
  checkOptions('Creating a store', options, {
    mostBytes: aSizeAbove0,
    onEvict: aFunction,
    clock: aClock,
  })

/**
 * Throws `TypeError` for messages that no API has: with holes, with a number as content, within
 * themselves.
 */
export function assertMessages(doing: string, messages: readonly object[]): void {
  checkValue(doing, 'messages', messages, objects)
  for (const [at, message] of messages.entries()) {
    const content: unknown = Reflect.get(message, 'content')
    if (content !== undefined) checkValue(doing, `messages[${at}].content`, content, aContent)
    assertTree(doing, message)
  }
}

const aContent: Kind = {
  allowed: 'a text or a list of parts',
  accepts: isBlocks,
}
