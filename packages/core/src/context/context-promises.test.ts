/** What a live context promises, whatever happens to it in whatever order. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf, runs } from '../../../../test/property-runs.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { isSameList } from '../conversation/lists.ts'
import { digest } from '../digest/digest.ts'
import { auto } from '../engine/ladder.ts'
import { formats } from '../formats/index.ts'
import { openTranscript } from '../formats/transcript/transcript.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut, topDownTruncation } from '../strategies/index.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import {
  assistant,
  type ChatMessage,
  call,
  empty,
  hung,
  lying,
  open,
  throwing,
  toolResult,
  user,
  working,
} from './context.suite.ts'
import type { Context } from './context.ts'
import { createContext } from './create-context.ts'
import { type NativeCase, nativeCases, type Said } from './native-histories.suite.ts'
import { createSettings } from './settings.ts'

type Step =
  | { readonly do: 'ask' | 'answer'; readonly size: number }
  | { readonly do: 'loop'; readonly calls: number; readonly size: number }
  | { readonly do: 'prepare' | 'undo' | 'usage' }
  | {
      readonly do: 'compress'
      readonly share: number | undefined
      readonly isAborted: boolean
      readonly meanwhile: number
    }
  | {
      readonly do: 'switch'
      readonly isSibling: boolean
      readonly windowTokens: number
      readonly isAborted: boolean
    }
  | { readonly do: 'together' }

const size = fc.integer({ min: 1, max: 120 })
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('ask' as const, 'answer' as const), size }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('loop' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      size,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('prepare' as const, 'undo' as const, 'usage' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('compress' as const),
      share: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
      isAborted: fc.boolean(),
      meanwhile: fc.nat(3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('switch' as const),
      isSibling: fc.boolean(),
      windowTokens: fc.integer({ min: 300, max: 6_000 }),
      isAborted: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('together' as const) }) },
)

const summarizers: readonly Summarizer[] = [digest(), working, throwing, empty, lying]

/** The host, and what it expects of its context. */
class Host {
  readonly #case: NativeCase
  readonly context: Context
  readonly #appended: object[] = []
  readonly #undoable: { readonly before: readonly object[]; readonly length: number }[] = []
  readonly #open = new Set<number>()
  #current: readonly object[] = []
  #calls = 0
  #texts = 0

  constructor(native: NativeCase, summarizer: Summarizer, isLadder: boolean, isAhead: boolean) {
    const { format, model } = native
    this.#case = native
    this.context = createContext({
      format,
      model,
      windowTokens: 3_000,
      summarizer,
      ...(!isLadder && { strategy: middleOut }),
      ...(isAhead && { prepareAhead: 0.4 }),
    })
    const end = ({ id }: { readonly id: number }) => {
      expect(this.#open.delete(id)).toBe(true)
    }
    this.context.on('compression-planned', ({ id }) => this.#open.add(id))
    this.context.on('compression-skipped', end)
    this.context.on('compression-failed', end)
    this.context.on('compression-applied', (event) => {
      end(event)
      // The note of a switch is said behind it, and stays when it is taken back.
      const { messages } = this.context
      const note = messages.findLastIndex((native) =>
        JSON.stringify(native).includes('[The model was switched'),
      )
      const isNew = note >= messages.length - 2 && !this.#current.includes(messages[note] ?? {})
      this.#undoable.push({
        before: this.#current,
        length: isNew && note >= 0 ? note : messages.length,
      })
      this.#current = this.context.messages
    })
  }

  async do(step: Step): Promise<void> {
    const { context } = this
    switch (step.do) {
      case 'ask':
        return this.say({ type: 'request', text: this.#words(step.size) })
      case 'answer':
        return this.say({ type: 'answer', text: this.#words(step.size) })
      case 'loop':
        return this.#loop(step.calls, step.size)
      case 'prepare':
        return await this.#prepare()
      case 'undo':
        return this.#undo()
      case 'usage':
        return context.recordUsage({
          inputTokens: context.state.tokens + this.#texts,
          outputTokens: 20,
        })
      case 'compress':
        return await this.#compress(step)
      case 'switch':
        return await this.#switch(step)
      case 'together':
        await Promise.all([
          context.prepare(),
          context.compress(),
          context.prepare(),
          context.compress(),
        ])
        return
    }
  }

  say(said: Said): void {
    const natives = this.#case.write(said)
    this.context.append(...natives)
    this.#appended.push(...natives)
    this.#current = this.context.messages
    expect(
      this.#current.slice(-natives.length).every((native, index) => native === natives[index]),
    ).toBe(true)
  }

  /** Every record is either one that was appended, in its order, or one that precis wrote. */
  check(): void {
    const places = new Map(this.#appended.map((native, index) => [native, index]))
    const found = this.context.messages.flatMap((native) => places.get(native) ?? [])
    expect(found.every((place, index) => index === 0 || place > (found[index - 1] ?? 0))).toBe(true)
    expect(this.context.state.isCompressing).toBe(false)
  }

  async end(): Promise<void> {
    await this.#prepare()
    // What was computed ahead and is still waiting ends with the next change.
    await this.context.compress({ budgetTokens: 1 })
    this.context.undo()
    for (let turn = 0; turn < 200 && this.#open.size > 0; turn++)
      await new Promise((resolve) => setTimeout(resolve, 1))
    if (!this.context.state.isPrepared) expect([...this.#open]).toEqual([])
  }

  #words(size: number): string {
    return `${this.#texts++}: ${'look at the parser in src/parser.ts '.repeat(size)}`.slice(
      0,
      12 * size,
    )
  }

  #loop(calls: number, size: number): void {
    const ids = Array.from({ length: calls }, () => `call_${this.#calls++}`)
    if (this.context.messages.length === 0) this.say({ type: 'request', text: 'Begin.' })
    this.say({ type: 'request', text: this.#words(3) })
    this.say({ type: 'calls', ids, text: 'I look.' })
    this.say({ type: 'results', ids, text: this.#words(size) })
  }

  async #prepare(): Promise<void> {
    const { context } = this
    const { messages, fits, refusal, tokens } = await context.prepare()
    expect(isSameList(messages, context.messages)).toBe(true)
    expect(fits || refusal !== undefined).toBe(true)
    expect(fits).toBe(tokens <= context.state.windowTokens)
    this.#checkRules(messages)
    this.check()
  }

  #checkRules(messages: readonly object[]): void {
    const { format } = this.#case
    const { protocol } = createSettings(context(this).model, { model: this.#case.model, format })
    // A host may ask for an answer before anything was said.
    const [first] = openTranscript(format, { messages }, protocol).conversation.messages
    const isBegun = first?.role !== 'assistant'
    if (isBegun)
      expect(checkInvariants(openTranscript(format, { messages }, protocol).conversation)).toEqual(
        [],
      )
  }

  #undo(): void {
    const expected = this.#undoable
      .slice(-this.context.state.undoable || this.#undoable.length)
      .at(-1)
    const isThere = this.context.state.undoable > 0
    const since = this.context.messages.slice(expected?.length ?? 0)
    expect(this.context.undo()).toBe(isThere)
    if (!isThere || !expected) return
    this.#undoable.pop()
    const wanted = [...expected.before, ...since]
    expect(this.context.messages.length).toBe(wanted.length)
    expect(this.context.messages.every((native, index) => native === wanted[index])).toBe(true)
    this.#current = this.context.messages
  }

  async #compress({
    share,
    isAborted,
    meanwhile,
  }: Extract<Step, { do: 'compress' }>): Promise<void> {
    const { context } = this
    const before = context.messages
    const controller = new AbortController()
    const budgetTokens = share === undefined ? undefined : Math.floor(share * context.state.tokens)
    const doing = context.compress({
      signal: controller.signal,
      ...(budgetTokens !== undefined && { budgetTokens }),
    })
    if (isAborted) controller.abort()
    const late = this.#appended.length
    for (let index = 0; index < meanwhile; index++)
      this.say({ type: 'request', text: this.#words(5) })
    const { outcome } = await doing
    const said = this.#appended.slice(late)
    expect(context.messages.slice(context.messages.length - said.length)).toEqual(said)
    if (isAborted) await new Promise((resolve) => setTimeout(resolve, 0))
    if (outcome.type !== 'compressed' && said.length === 0 && !context.state.isCompressing) {
      expect(context.messages).toBe(before)
    }
  }

  async #switch({
    isSibling,
    windowTokens,
    isAborted,
  }: Extract<Step, { do: 'switch' }>): Promise<void> {
    const { context } = this
    const { model, sibling } = this.#case
    const controller = new AbortController()
    const before = { messages: context.messages, ...context.state }
    const doing = context.switchModel(isSibling ? sibling : model, {
      windowTokens,
      signal: controller.signal,
    })
    if (isAborted) controller.abort()
    const { outcome } = await doing
    if (outcome.type !== 'switched') {
      expect(context.messages).toBe(before.messages)
      expect(context.state.model).toBe(before.model)
      expect(context.state.windowTokens).toBe(before.windowTokens)
    }
    if (context.state.undoable === 0) this.#undoable.length = 0
    this.#current = context.messages
  }
}

const context = (host: Host) => host.context.state

describe.each(casesOf(nativeCases).map((native) => [native.format, native] as const))(
  'a context of %s',
  { tags: 'property' },
  (_, native) => {
    test('keeps its promises over any sequence of events', async () => {
      const cases = fc.record({
        steps: fc.array(steps, { minLength: 5, maxLength: 40 }),
        summarizer: fc.constantFrom(...summarizers),
        isLadder: fc.boolean(),
        isAhead: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(cases, async ({ steps, summarizer, isLadder, isAhead }) => {
          const host = new Host(native, summarizer, isLadder, isAhead)
          host.say({ type: 'request', text: 'Begin.' })
          for (const step of steps) {
            await host.do(step)
            host.check()
          }
          await host.end()
        }),
        { numRuns: runs(40) },
      )
    })

    test('keeps the head byte for byte over ten compressions', async () => {
      const { format, model, write } = native
      const context = createContext({ format, model, windowTokens: 8_000 })
      context.append(
        ...write({ type: 'request', text: `Begin with the parser. ${'It is old. '.repeat(20)}` }),
      )
      const heads: string[] = []
      for (let generation = 0; generation < 10; generation++) {
        for (let round = 0; round < 30; round++) {
          const ids = [`c${generation}-${round}`]
          context.append(...write({ type: 'calls', ids, text: 'I look.' }))
          context.append(
            ...write({ type: 'results', ids, text: `line ${round} of the file\n`.repeat(20) }),
          )
        }
        context.append(
          ...write({ type: 'answer', text: 'Done.' }),
          ...write({ type: 'request', text: 'Go on.' }),
        )
        expect((await context.compress()).outcome.type).toBe('compressed')
        heads.push(JSON.stringify(context.messages))
      }
      const shared = heads.slice(1).map((head, index) => countShared(head, heads[index] ?? ''))
      // The head that the first compression kept, and nothing before it changes ever after.
      const first = Math.min(...shared)
      expect(first).toBeGreaterThan(200)
      expect(new Set(heads.map((head) => head.slice(0, first)))).toHaveProperty('size', 1)
    })

    test('does not hear a summarizer that hangs', async () => {
      const { format, model, write } = native
      const context = createContext({
        format,
        model,
        windowTokens: 2_000,
        summarizer: hung,
        strategy: middleOut,
      })
      for (let round = 0; round < 40; round++)
        context.append(
          ...write({ type: round % 2 ? 'answer' : 'request', text: 'a few words '.repeat(20) }),
        )
      const controller = new AbortController()
      const doing = context.compress({ signal: controller.signal })
      setTimeout(() => controller.abort(), 5)
      expect((await doing).outcome.type).toBe('aborted')
    })
  },
)

describe('the window is the law, the target a wish', () => {
  const text = fc
    .integer({ min: 1, max: 400 })
    .map((size) => 'the parser of src/parser.ts reads it once more '.repeat(size))
  const turns = fc.oneof(
    fc.record({ do: fc.constant('ask' as const), text }),
    fc.record({ do: fc.constant('answer' as const), text }),
    fc.record({
      do: fc.constant('work' as const),
      text,
      calls: fc.integer({ min: 1, max: 3 }),
      isSteered: fc.boolean(),
    }),
  )
  const counter = createTokenCounter(findModel('gpt-5'))
  const parse = (messages: readonly object[]) => formats['openai-chat'].parse({ messages })
  const countTokens = (messages: readonly object[]) =>
    counter.countConversation(parse(messages)).upper
  // Of a summary without words.
  const FRAME_TOKENS = 400

  test('the last request and results that nobody has seen stay where the window has room for them', {
    tags: 'property',
  }, async () => {
    const cases = fc.record({
      turns: fc.array(turns, { minLength: 1, maxLength: 25 }),
      windowTokens: fc.integer({ min: 2_000, max: 20_000 }),
      target: fc.double({ min: 0.05, max: 0.7, noNaN: true }),
      strategy: fc.constantFrom(auto, auto, middleOut, topDownTruncation),
    })
    let tried = 0
    let compressed = 0
    const checkCase = async ({
      turns,
      ...options
    }: typeof cases extends fc.Arbitrary<infer Case> ? Case : never) => {
      tried++
      const context = open(options)
      let id = 0
      let request: ChatMessage | undefined
      for (const turn of turns) {
        const unseen: ChatMessage[] = []
        if (turn.do === 'answer') context.append(assistant(turn.text))
        else if (turn.do === 'ask') request = user(turn.text)
        if (turn.do === 'ask' && request) context.append(request)
        if (turn.do === 'work') {
          const ids = Array.from({ length: turn.calls }, () => `c${id++}`)
          context.append(call(...ids))
          unseen.push(...ids.map((name) => toolResult(name, `${name} ${turn.text}`)))
          context.append(...unseen)
          if (turn.isSteered) request = user('Mind the tests.')
          if (turn.isSteered && request) context.append(request)
        }
        const before = context.messages
        const { messages, compression, tokens } = await context.prepare()
        const { windowTokens, reserveTokens } = context.state
        const roomTokens = windowTokens - reserveTokens
        // For the last request the reserve gives way, which no host has set here.
        const asked = request ? [request] : []
        const mostTokens = 0.95 * windowTokens
        const isStretched = countTokens(asked) + FRAME_TOKENS <= mostTokens
        if (isStretched) for (const message of asked) expect(messages).toContain(message)
        if (compression?.outcome.type !== 'compressed') {
          expect(isSameList(messages, before)).toBe(true)
          continue
        }
        compressed++
        const isWhole = request !== undefined && messages.includes(request)
        expect(tokens).toBeLessThanOrEqual(isWhole ? mostTokens : roomTokens)
        // What the user typed before stands with it, in up to a quarter of the room.
        const words = Math.min(
          countTokens(before.filter((message) => message.role === 'user')),
          roomTokens / 4,
        )
        const calls =
          unseen.length > 0 ? [call(...unseen.map(({ tool_call_id }) => tool_call_id ?? ''))] : []
        const fits = (stays: readonly object[]) =>
          words + countTokens(stays) + FRAME_TOKENS <= roomTokens
        if (fits([...asked, ...calls, ...unseen]))
          for (const message of unseen) expect(messages).toContain(message)
      }
    }
    await fc.assert(fc.asyncProperty(cases, checkCase), { numRuns: runs(150) })
    expect(compressed).toBeGreaterThan(tried / 2)
  })
})

function countShared(left: string, right: string): number {
  let index = 0
  while (index < left.length && left[index] === right[index]) index++
  return index
}
