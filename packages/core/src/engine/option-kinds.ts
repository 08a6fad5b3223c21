/** What the options of the engine may be. */
import {
  aFlag,
  aFunction,
  aName,
  aNumber,
  anObject,
  aShareOrNone,
  aSignal,
  aText,
  countsFrom1,
  isObject,
  type Kind,
  type Kinds,
  objectOf,
  texts,
  withMethods,
} from '../conversation/check-options.ts'
import { aKeep } from '../strategies/ends.ts'
import { aSummarizer } from '../summarizers/summarizer.ts'
import type { Rung } from './ladder.ts'

const hasName = (value: unknown): value is object =>
  isObject(value) && typeof Reflect.get(value, 'name') === 'string'

const isStrategy = (value: unknown): boolean =>
  hasName(value) && typeof Reflect.get(value, 'plan') === 'function'

const isLadder = (value: unknown): boolean => {
  const rungs: unknown = hasName(value) && Reflect.get(value, 'rungs')
  return (
    Array.isArray(rungs) &&
    Array.from(rungs).every(
      (rung) =>
        isObject(rung) &&
        RUNGS.has(Reflect.get(rung, 'type')) &&
        isStrategy(Reflect.get(rung, 'strategy')),
    )
  )
}

const RUNGS = new Set<unknown>(['clear', 'summarize', 'truncate', 'clip'] satisfies Rung['type'][])

export const aStrategy: Kind = {
  allowed: 'a strategy, such as middleOut, or a ladder, such as auto',
  accepts: (value) => isStrategy(value) || isLadder(value),
}

export const strategies: Kind = {
  allowed: 'a list of strategies',
  accepts: (value) => Array.isArray(value) && Array.from(value).every(isStrategy),
  isEntry: isStrategy,
}

export const aKeepOfEnds: Kind = objectOf({ head: aKeep, tail: aKeep })

export const aRecallPath: Kind = objectOf({ tool: aName, reference: aText }, ['tool'])

export const aCounter: Kind = withMethods(
  'a counter, made by createTokenCounter',
  'countConversation',
  'countMessage',
)

export const engineKinds: Kinds = {
  model: aText,
  counter: aCounter,
  summarizer: aSummarizer,
  instructions: aText,
  pins: texts,
  recall: aRecallPath,
  isKept: aFlag,
  signal: aSignal,
  onProgress: aFunction,
}

export const summarizeKinds: Kinds = { ...engineKinds, budgetTokens: aNumber }

export const compressKinds: Kinds = {
  ...engineKinds,
  budgetTokens: aNumber,
  budgetBytes: aNumber,
  budgetImages: aNumber,
  requestLimits: anObject,
  targetTokens: aNumber,
  triggerTokens: aNumber,
  strategy: aStrategy,
  keep: aKeepOfEnds,
  minRecall: aShareOrNone,
  memory: withMethods('a memory, made by createCompressionMemory', 'find', 'remember'),
  keepPaths: texts,
  keepTurns: countsFrom1,
  dropTools: texts,
}
