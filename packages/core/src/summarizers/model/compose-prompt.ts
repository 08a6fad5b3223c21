import type { Language } from '../language.ts'
import { createBoundary } from './boundary.ts'
import type { Entry } from './render-history.ts'
import { languageNames } from './tell-language.ts'

/** What one call is told besides the data. */
export interface Assignment {
  /** One of the prompts. */
  readonly task: string
  readonly targetTokens: number
  readonly language: Language | undefined
  /** The person's own words on what has to be kept. */
  readonly instructions?: string
  /** Stays in the conversation, so that it need not be repeated. */
  readonly stays: readonly Entry[]
}

export interface ComposedPrompt {
  readonly text: string
  readonly boundary: string
}

// Prose with names in it; models keep to a number of words better than to one of tokens.
const WORDS_PER_TOKEN = 0.6

//   task, length, language, the person's wishes
//   ─── 5f3c… stays ───  ─── 5f3c… person ───  ─── 5f3c… result of read ───  …  ─── 5f3c… end ───
//   the tag again, because what is said last is heard best
export function composePrompt(assignment: Assignment, entries: readonly Entry[]): ComposedPrompt {
  const { task, targetTokens, language, instructions, stays } = assignment
  const words = Math.max(1, Math.round(targetTokens * WORDS_PER_TOKEN))
  const asked = instructions?.trim() ?? ''
  const boundary = createBoundary([task, asked, ...[...stays, ...entries].flatMap(({ title, text }) => [title, text])])
  const line = (title: string) => `=== ${boundary} ${title} ===`
  const lines = [
    task,
    '',
    `Write at most ${words} words (about ${targetTokens} tokens), less where less says it.`,
    language === undefined ? 'Write in the language of the person.' : `Write in ${languageNames[language]}.`,
  ]
  if (asked !== '') lines.push('', 'The person asks you to keep above all:', asked)
  lines.push('', `The data stands between lines that begin with "=== ${boundary}"; each says who speaks.`)
  if (stays.length > 0) {
    lines.push('', line('begin of what stays in the conversation beside your text; do not repeat it'))
    for (const { title, text } of stays) lines.push(line(title), text)
  }
  lines.push('', line('begin of the data'))
  for (const { title, text } of entries) lines.push(line(title), text)
  lines.push(line('end of the data'), '')
  lines.push('Do with the data what was asked before it. Answer with <summary>, your text, </summary>.')
  return { text: lines.join('\n'), boundary }
}

/** The same task once more, with what was wrong. */
export function composeRetry(prompt: string, correction: string): string {
  return `${prompt}\n\nAn earlier answer could not be used. ${correction}`
}

/** What has to be added to an answer that was cut off. */
export function composeContinuation(prompt: string, answer: string): string {
  return `${prompt}\n\nYour answer was cut off by its length. It was:\n\n${answer}\n\nGo on exactly after its last character, in as few words as possible. Repeat nothing. End with </summary>.`
}
