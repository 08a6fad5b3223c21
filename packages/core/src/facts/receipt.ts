import { type Message, renderPart } from '../conversation/message.ts'
import { scanEntities } from './entities.ts'
import { extractFacts } from './extract.ts'
import { type Fact, type FactKind, factKinds } from './fact.ts'
import { relativePath } from './paths.ts'
import { findPhrases, readWords } from './phrases.ts'

/** What became of the facts of the part that was removed, by kind. */
export interface Receipt {
  readonly kinds: Readonly<Record<FactKind, FactCounts>>
  /** Facts that were put back by code because the summary lacked them. */
  readonly appended: number
}

interface FactCounts {
  readonly total: number
  /** Stands word for word in the output. */
  readonly verbatim: number
  /** Does not stand there, but can be looked up. */
  readonly retrievable: number
  readonly missing: number
}

/** Looks for each fact of `removed` in the text of `output`, as whole words. One pass over the output. */
export function createReceipt(
  removed: readonly Message[],
  output: readonly Message[],
  workingDirectory?: string,
): Receipt {
  const facts = extractFacts(removed, workingDirectory)
  const text = output.flatMap((message) => message.parts.map(renderPart)).join('\n')
  const survives = findSurvivors(facts, text, workingDirectory)
  const counts = new Map<FactKind, { total: number; verbatim: number }>()
  for (const kind of factKinds) counts.set(kind, { total: 0, verbatim: 0 })
  for (const fact of facts) {
    const count = counts.get(fact.kind)
    if (!count) continue
    count.total++
    if (survives(fact)) count.verbatim++
  }
  const countsOf = (kind: FactKind): FactCounts => {
    const { total = 0, verbatim = 0 } = counts.get(kind) ?? {}
    return { total, verbatim, retrievable: 0, missing: total - verbatim }
  }
  return {
    kinds: {
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
    },
    appended: 0,
  }
}

const PHRASE_KINDS: ReadonlySet<FactKind> = new Set(['command', 'error', 'directive', 'decision', 'task', 'question'])

/** Names are compared as names, sentences and commands as runs of words. */
function findSurvivors(facts: readonly Fact[], text: string, workingDirectory: string | undefined) {
  const names = new Set<string>()
  scanEntities(text, (kind, name) => {
    names.add(kind === 'path' ? relativePath(name, workingDirectory) : name)
  })
  const phrases = facts.filter(({ kind }) => PHRASE_KINDS.has(kind)).map(({ text }) => text)
  const found = findPhrases(phrases, readWords(text))
  return (fact: Fact) => (PHRASE_KINDS.has(fact.kind) ? found.has(fact.text) : names.has(fact.text))
}
