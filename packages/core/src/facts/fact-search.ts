import { formsOf } from '../actions/artifacts.ts'
import type { Part } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { type Fact, isPhrase } from './fact-table.ts'
import { scanNames } from './names.ts'
import { createPhraseFinder } from './phrases.ts'
import { readWords } from './read-words.ts'

/** Finds for each fact whether some texts contain it. */
export type FactSearch = (texts: readonly string[]) => Steps<(fact: Sought) => boolean>

type Sought = Pick<Fact, 'kind' | 'text'>

/**
 * Names are compared as names, sentences and commands as runs of words. Each text is read once for
 * each of the two.
 */
export function* createFactSearch(
  facts: readonly Sought[],
  workingDirectory: string | undefined,
): Steps<FactSearch> {
  const wanted = new Set(facts.flatMap((fact) => (isPhrase(fact) ? [] : [fact.text])))
  const findPhrases = yield* createPhraseFinder(
    facts.flatMap((fact) => (isPhrase(fact) ? formsOf(fact) : [])),
  )
  return function* (texts) {
    const names = new Set<string>()
    for (const text of texts) {
      yield
      scanNames(text, workingDirectory, (_, name) => {
        if (wanted.has(name)) names.add(name)
      })
    }
    const phrases = yield* findPhrases(texts)
    return (fact: Sought) =>
      isPhrase(fact) ? formsOf(fact).some((form) => phrases.has(form)) : names.has(fact.text)
  }
}

/** All that a part says, for a search. */
export function readPartText(part: Part): string {
  return part.type === 'tool-call' ? `${part.name} ${readWords(part)}` : readWords(part)
}
