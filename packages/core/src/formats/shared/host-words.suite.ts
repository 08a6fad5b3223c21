/** How an agent speaks in its sessions, for tests. Its row in `hosts.data.ts` has to cover this. */
import { describe, expect, test } from 'vitest'
import { asksUser, isRefused, readAnswers, readRefusal } from '../../actions/answers.ts'
import { readToolCall } from '../../actions/tool-calls.ts'
import type { Host } from '../../conversation/host.ts'
import { hosts } from '../../conversation/hosts.data.ts'
import { isHostSummary, isInjectedText } from '../../conversation/injected-text.ts'
import { readNativeSummary } from '../../digest/earlier-summary.ts'

/** The text as the agent writes it, or the reason why it never does. */
export interface HostWords {
  /** What it adds in the role of the user, without being asked. */
  readonly reminder: string | Lack
  readonly question: AskedQuestion | Lack
  readonly refusal: RefusedCall | Lack
  /** The summary "all of it" by its own compaction, as a text in the role of the user. */
  readonly summary: string | Lack
  /**
   * One call of its own tools for each kind: a file that is read or changed is `/work/a.ts`, a
   * command is `npm test`.
   */
  readonly tools: Readonly<Record<ToolKind, CalledTool | Lack>>
}

/**
 * A session of these messages, for agents whose sessions precis only reads. `path` is relative to
 * the agent's home.
 */
export type StoreSession = (
  sessionId: string,
  messages: readonly { readonly role: string; readonly content: string }[],
) => { readonly path: string; readonly text: string }

export type ToolKind = 'read' | 'write' | 'command' | 'search' | 'plan' | 'delegate'

export type CalledTool = readonly [name: string, input: object]

export interface Lack {
  readonly none: string
}

export interface AskedQuestion {
  readonly tool: string
  readonly input: object
  readonly output: string
  /** What the user chose. */
  readonly answer: string
}

export interface RefusedCall {
  readonly output: string
  /** The reason that the user gave, if there is a place for one. */
  readonly said?: string
}

export const lacks = (words: string | object): words is Lack =>
  typeof words === 'object' && 'none' in words

/** One question as most agents ask it. */
export const QUESTION = {
  question: 'Which one?',
  header: 'One',
  options: [
    { label: 'left', description: 'the first' },
    { label: 'right', description: 'the second' },
  ],
}

export function testHostWords(name: string, words: HostWords | undefined): void {
  describe(`${name} speaks`, () => {
    const row = hosts.find((host) => host.name === name)
    // Another row may cover it by chance, and may change.
    const covers = (part: (host: Host) => boolean | undefined) => row !== undefined && part(row)
    const { reminder, question, refusal, summary, tools } = words ?? failWith(name)

    test.skipIf(lacks(reminder))('its reminders are no words of the user', () => {
      const text = typeof reminder === 'string' ? reminder : ''
      expect(isInjectedText(text)).toBe(true)
      const opens = (openings: readonly string[] = []) =>
        openings.some((opening) => text.startsWith(opening))
      const isCovered = covers(
        ({ wrappers = [], notices }) => opens(wrappers.map((tag) => `<${tag}`)) || opens(notices),
      )
      expect(isCovered).toBe(true)
    })

    test.skipIf(lacks(question))('answers to its questions are words of the user', () => {
      if (lacks(question)) return
      const call = { type: 'tool-call' as const, callId: 'c1', name: question.tool }
      expect(asksUser(question.tool)).toBe(true)
      expect(
        readAnswers({ ...call, input: question.input }, question.output).map(({ text }) => text),
      ).toEqual([question.answer])
      expect(
        covers(({ questions }) => questions?.tools.includes(question.tool.toLowerCase())),
      ).toBe(true)
    })

    test.skipIf(lacks(refusal))('a refused call is no failure, and its reason is read', () => {
      if (lacks(refusal)) return
      expect(isRefused(refusal.output)).toBe(true)
      expect(readRefusal(refusal.output)).toBe(refusal.said)
      expect(covers(({ refusals }) => refusals?.opening.test(refusal.output))).toBe(true)
    })

    test.skipIf(lacks(summary))('its own summary is known for one', () => {
      const text = typeof summary === 'string' ? summary : ''
      expect(isHostSummary(text) && isInjectedText(text)).toBe(true)
      expect(
        covers(({ summaries }) => summaries?.some((opening) => text.startsWith(opening))),
      ).toBe(true)
      // Text around the words is dropped.
      const carried = readNativeSummary(text).map((event) => 'text' in event && event.text)
      expect(
        carried
          .join('\n')
          .replace(/<[^>]{0,40}>|^## \w+$/gm, '')
          .trim(),
      ).toBe('all of it')
    })

    const called = Object.entries(tools).flatMap(([kind, call]) =>
      lacks(call) ? [] : [[kind, ...call] as const],
    )
    test.each(called)('a call to %s by its tool %s is understood', (kind, tool, input) => {
      const call = { type: 'tool-call' as const, callId: 'c1', name: tool, input }
      const { kind: found, paths, command } = readToolCall(call, '/work')
      expect(found).toBe(kind)
      if (kind === 'read' || kind === 'write') expect(paths).toEqual(['a.ts'])
      if (kind === 'command') expect(command).toBe('npm test')
    })

    test('its row has nothing that no example shows', () => {
      const has = {
        wrappers: reminder,
        notices: reminder,
        questions: question,
        refusals: refusal,
        summaries: summary,
      }
      const shown = Object.entries(has).flatMap(([key, example]) => (lacks(example) ? [] : [key]))
      expect(Object.keys(row ?? {}).filter((key) => key in has && !shown.includes(key))).toEqual([])
    })
  })
}

function failWith(name: string): never {
  throw new Error(`"hostWords" is missing: how ${name} speaks in its sessions.`)
}
