/**
 * The judge over all else that changes a request: live contexts and switches of their model, hosts
 * that send their whole list, and strategies one after the other, as a clone applies them.
 */
import * as core from '@precis/core'
import { createTokenCounter, findModel } from '@precis/core'
import { formats } from '@precis/core/formats'
import { compactHistory } from '@precis/core/hosts'
import {
  type Fault,
  findFaults,
  type JudgedCase,
  type JudgedReport,
  LISTS,
} from './judged-compression.ts'
import { isObject, type JsonObject, type ProviderName, readList } from './provider.ts'

/** A model of the provider, and another one to switch to. */
const MODELS: Readonly<Record<ProviderName, readonly [string, string]>> = {
  'anthropic-messages': ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  'openai-chat': ['gpt-4.1', 'gpt-4o'],
  'openai-responses': ['gpt-5', 'gpt-5-mini'],
  'gemini-contents': ['gemini-2.5-pro', 'gemini-2.5-flash'],
  'ai-sdk': ['gpt-5', 'gpt-5-mini'],
}

/** One way to change a request. Nothing where it left it as it is. */
type Use = (given: JudgedCase) => Promise<readonly Changed[]>

interface Changed {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly reports: readonly JudgedReport[]
  /** The request before, as the provider got it: a compaction that came since was made of it. */
  readonly sent?: JsonObject
  /** One text for the host, which sends its newest messages itself. */
  readonly isSummary?: boolean
}

const listOf = ({ rules: { name } }: JudgedCase, body: JsonObject): JsonObject[] =>
  readList(body[LISTS[name]])

const withList = (given: JudgedCase, list: readonly object[]): JsonObject => ({
  ...given.body,
  [LISTS[given.rules.name]]: list,
})

const countTokens = async ({ rules, body }: JudgedCase): Promise<number> => {
  const { report } = await core.compress(body, { format: rules.name, budgetTokens: 1e9 })
  return report.before.tokens
}

/** Its window holds `share` of the history. */
async function contextOptions(given: JudgedCase) {
  const { share, rules, canRecall } = given
  return {
    format: rules.name,
    windowTokens: Math.max(200, Math.ceil(((await countTokens(given)) * share) / 0.75)),
    reserveTokens: 10,
    ...(canRecall && { recall: { tool: 'recall', reference: '0123456789ab' } }),
  }
}

const readReport = ({ outcome, report }: core.ContextCompression): JudgedReport[] =>
  outcome.type === 'compressed' && report ? [report] : []

/** The next request of a live history; then that of another model with a smaller window. */
const live: Use = async (given) => {
  const [model, other] = MODELS[given.rules.name]
  const options = await contextOptions(given)
  const context = core.createContext<JsonObject>({
    ...options,
    model,
    messages: listOf(given, given.body),
  })
  const { compression, messages } = await context.prepare()
  const reports = compression ? readReport(compression) : []
  const switched = await context.switchModel(other, {
    windowTokens: Math.max(200, Math.floor(options.windowTokens * (given.shareAgain ?? 0.7))),
  })
  const { compression: again } = switched
  const both = again ? [...readReport(again), ...reports] : reports
  return [
    { before: given.body, after: withList(given, messages), reports },
    { before: given.body, after: withList(given, context.messages), reports: both },
  ]
}

/** A host that knows nothing of compressions: its list up to some request, then all of it. */
const followed: Use = async (given) => {
  const [model] = MODELS[given.rules.name]
  const { format, ...settings } = await contextOptions(given)
  const follower = core.createFollower<JsonObject>({ format, ...settings })
  const list = listOf(given, given.body)
  const reports: JudgedReport[] = []
  const changed: Changed[] = []
  for (const length of [findRequest(given, Math.ceil(list.length * 0.7)), list.length]) {
    const before = list.slice(0, length)
    const { prepared } = await follower.next({ model, messages: before })
    if (prepared.compression) reports.unshift(...readReport(prepared.compression))
    const sent = changed.at(-1)?.after
    changed.push({
      before: withList(given, before),
      after: withList(given, prepared.messages),
      reports: [...reports],
      ...(sent && { sent }),
    })
  }
  return changed
}

/**
 * How many messages the agent had when it sent a request, at most `length`: it waits for no more of
 * an answer. The other half of a type that does not exist yet may come later.
 */
function findRequest(given: JudgedCase, length: number): number {
  const { rules, body } = given
  const list = listOf(given, body)
  const isRequest = (end: number) => {
    const request = withList(given, list.slice(0, end))
    const isOpen = rules.readPieces(request).at(-1)?.side === 'model'
    return !isOpen && rules.judge(request).length === 0
  }
  while (length > 1 && !isRequest(length)) length--
  return length
}

/** A live history that grows, request by request, and in the end takes every compression back. */
const grown: Use = async (given) => {
  const [model] = MODELS[given.rules.name]
  const list = listOf(given, given.body)
  const ends = [0.4, 0.6, 0.8, 1].map((share) => findRequest(given, Math.ceil(list.length * share)))
  const context = core.createContext<JsonObject>({ ...(await contextOptions(given)), model })
  const reports: JudgedReport[] = []
  const changed: Changed[] = []
  let length = 0
  for (const end of ends) {
    if (end <= length) continue
    context.append(...list.slice(length, end))
    length = end
    const { compression, messages } = await context.prepare()
    if (compression) reports.unshift(...readReport(compression))
    const sent = changed.at(-1)?.after
    const before = withList(given, list.slice(0, end))
    const after = withList(given, messages)
    changed.push({ before, after, reports: [...reports], ...(sent && { sent }) })
  }
  while (context.undo()) {
    // Up to the first.
  }
  const isAsGiven = JSON.stringify(context.messages) === JSON.stringify(list.slice(0, length))
  if (!isAsGiven) throw new Error('Undone compressions left a history that is not the given one.')
  return changed
}

/** What a clone does to the messages of a session. */
const cloned: Use = async (given) => {
  const { body, rules, strategy } = given
  const { strategies, applyStrategies } = core
  const format = formats[rules.name]
  const chosen = [strategies[strategy] ?? strategies['clear-tools'], strategies['middle-out']]
  const steps = chosen.flatMap((one) => one ?? [])
  const { conversation, report } = await applyStrategies(format.parse(body), steps)
  const after = format.serialize(conversation)
  if (!isObject(after)) throw new TypeError(`${rules.name} wrote a list where an object was read.`)
  return [{ before: body, after, reports: [report] }]
}

/** The host sends its own prompt with every request. */
const withoutPrompt = (list: readonly JsonObject[]): JsonObject[] =>
  list.slice(list.findIndex(({ role }) => role !== 'system' && role !== 'developer'))

/** A compaction that a host or the gateway answers: a summary and the newest, or the summary. */
const compacted: Use = async (given) => {
  const { body, rules } = given
  const format = formats[rules.name]
  const counter = createTokenCounter(findModel(MODELS[rules.name][0]))
  await counter.load()
  const changed: Changed[] = []
  for (const keeps of ['tail', 'nothing'] as const) {
    const compaction = await compactHistory(format.parse(body), { counter, keeps })
    if (compaction.type === 'left') continue
    const { conversation, report } = compaction.compression
    const after = format.serialize(conversation)
    if (!isObject(after)) throw new TypeError(`${rules.name} wrote a list for an object.`)
    const before = withList(given, withoutPrompt(listOf(given, body)))
    changed.push({ before, after, reports: [report], isSummary: keeps === 'nothing' })
  }
  return changed
}

const USES: Readonly<Record<string, Use>> = { live, followed, grown, cloned, compacted }

/** Throws an error that lists the faults of every use. */
export async function checkUses(given: JudgedCase): Promise<void> {
  const faults = await judgeUses(given)
  if (faults.length > 0)
    throw new Error(
      `The judge refuses: ${faults.map(({ kind, detail }) => `${kind} (${detail})`).join('; ')}`,
    )
}

/** The name of each use is in the kind of its faults. */
export async function judgeUses(
  given: JudgedCase,
  names: readonly string[] = Object.keys(USES),
): Promise<Fault[]> {
  const original = JSON.stringify(given.body)
  const faults: Fault[] = []
  for (const [name, use] of Object.entries(USES)) {
    if (!names.includes(name)) continue
    for (const { before, after, reports, sent, isSummary } of await use(given)) {
      const known = sent
        ? given.rules.readPieces(sent).map(({ value }) => JSON.stringify(value))
        : []
      for (const { kind, detail } of findFaults(given.rules, before, after, reports)) {
        const isInCompaction =
          kind.endsWith('written-before-compaction') &&
          known.some((piece) => piece.startsWith(detail))
        const isOfHost = isSummary === true && kind.endsWith('newest-changed')
        if (!isInCompaction && !isOfHost) faults.push({ kind: `${name}, ${kind}`, detail })
      }
    }
  }
  if (JSON.stringify(given.body) !== original) faults.push({ kind: 'original changed', detail: '' })
  return faults
}
