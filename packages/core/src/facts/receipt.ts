/** Looks for each fact of what was removed in the text of what came out, and counts by kind. */
import { type Message, type Part, renderPart } from '../conversation/message.ts'
import { readLedgerText, readSummary } from '../conversation/summary-message.ts'
import { scanEntities } from './entities.ts'
import { type ExtractOptions, extractFacts, readableInput } from './extract.ts'
import type { Fact, FactKind } from './fact.ts'
import { namePath } from './paths.ts'
import { createPhraseFinder } from './phrases.ts'

/** What became of the facts of the part that was removed, by kind. */
export interface Receipt {
  readonly kinds: Readonly<Record<FactKind, FactCounts>>
  /** Facts that stand in the output only because the ledger says them. */
  readonly appended: number
  /** Each fact, so that any other program can look for it in the output. */
  readonly facts: readonly FactState[]
}

/** Of the total each fact is in exactly one of the other four. */
export interface FactCounts {
  readonly total: number
  /** Stands word for word in the output. */
  readonly verbatim: number
  /** Does not stand there, but can be looked up. */
  readonly retrievable: number
  readonly missing: number
  /** Does not stand there, and a later event took its meaning. */
  readonly stale: number
}

export interface FactState {
  readonly kind: FactKind
  readonly text: string
  readonly state: 'verbatim' | 'retrievable' | 'missing' | 'stale'
}

export interface ReceiptInput extends ExtractOptions {
  readonly removed: readonly Message[]
  /** The whole result, of which nothing but its text counts. */
  readonly output: readonly Message[]
  /** Whether the reader of the output can look up what was removed. */
  readonly canRecall?: boolean
}

export function createReceipt({ removed, output, canRecall = false, ...options }: ReceiptInput): Receipt {
  const facts = extractFacts(removed, options)
  const search = createSearch(facts, options.workingDirectory)
  const written = search(readWritten(output))
  const carried = search(output.flatMap((message) => readLedgerText(message) ?? []))
  // What precis or a repair wrote has no record that could be kept.
  const isKept = ({ firstMessage, lastMessage }: Fact) =>
    [firstMessage, lastMessage].some((index) => (removed[index]?.records?.length ?? 0) > 0)
  let appended = 0
  const states = facts.map((fact): FactState => {
    const { kind, text, stale } = fact
    const isCarried = !written(fact) && carried(fact)
    if (isCarried) appended++
    if (isCarried || written(fact)) return { kind, text, state: 'verbatim' }
    if (stale) return { kind, text, state: 'stale' }
    return { kind, text, state: canRecall && isKept(fact) ? 'retrievable' : 'missing' }
  })
  return { kinds: countStates(states), appended, facts: states }
}

/** The same facts where nothing can be looked up after all. */
export function withoutRetrievable({ appended, facts }: Receipt): Receipt {
  const states = facts.map((fact): FactState => (fact.state === 'retrievable' ? { ...fact, state: 'missing' } : fact))
  return { kinds: countStates(states), appended, facts: states }
}

/** All text of the output but the ledger. */
function readWritten(output: readonly Message[]): string[] {
  return output.flatMap((message) => readSummary(message) ?? message.parts.map(readPart))
}

/** JSON puts a backslash before what a command quotes. */
function readPart(part: Part): string {
  return part.type === 'tool-call' ? `${part.name} ${readableInput(part.input)}` : renderPart(part)
}

const PHRASE_KINDS: ReadonlySet<FactKind> = new Set(['command', 'error', 'directive', 'decision', 'task', 'question'])

/** Names are compared as names, sentences and commands as runs of words. Each text is read once for each of the two. */
function createSearch(facts: readonly Fact[], workingDirectory: string | undefined) {
  const isPhrase = ({ kind }: Fact) => PHRASE_KINDS.has(kind)
  const wanted = new Set(facts.flatMap((fact) => (isPhrase(fact) ? [] : [fact.text])))
  const findPhrases = createPhraseFinder(facts.flatMap((fact) => (isPhrase(fact) ? [fact.text] : [])))
  return (texts: readonly string[]) => {
    const names = new Set<string>()
    for (const text of texts) {
      scanEntities(text, (kind, name) => {
        const text = kind === 'path' ? namePath(name, workingDirectory) : name
        if (wanted.has(text)) names.add(text)
      })
    }
    const phrases = findPhrases(texts)
    return (fact: Fact) => (isPhrase(fact) ? phrases.has(fact.text) : names.has(fact.text))
  }
}

function countStates(states: readonly FactState[]): Receipt['kinds'] {
  const counts = new Map<string, number>()
  for (const { kind, state } of states) {
    const key = `${kind} ${state}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const countsOf = (kind: FactKind): FactCounts => {
    const of = (state: FactState['state']) => counts.get(`${kind} ${state}`) ?? 0
    const [verbatim, retrievable, missing, stale] = [of('verbatim'), of('retrievable'), of('missing'), of('stale')]
    return { total: verbatim + retrievable + missing + stale, verbatim, retrievable, missing, stale }
  }
  return {
    path: countsOf('path'),
    identifier: countsOf('identifier'),
    command: countsOf('command'),
    error: countsOf('error'),
    url: countsOf('url'),
    commit: countsOf('commit'),
    version: countsOf('version'),
    'number-with-unit': countsOf('number-with-unit'),
    directive: countsOf('directive'),
    decision: countsOf('decision'),
    task: countsOf('task'),
    question: countsOf('question'),
  }
}
