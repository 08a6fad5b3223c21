import { createTokenCounter, findModel } from '@precis/core'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ContextCompression } from '../../packages/core/src/context/compressions.ts'
import type { RequestFormat } from '../../packages/core/src/formats/index.ts'
import type { JsonObject } from '../../packages/core/src/formats/shared/json.ts'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import type { FakeModel } from '../fake-upstream/fake-model.ts'
import { measureSharedPrefix } from '../fake-upstream/shared-prefix.ts'
import {
  type FakeUpstream,
  type FakeUpstreamOptions,
  startFakeUpstream,
} from '../fake-upstream/start-fake-upstream.ts'

/** A host as users write one: it keeps its whole list, and sends all of it every time. */
export interface Host {
  /** Says something, runs every tool the model asks for, and gives the model's last words. */
  ask(text: string, options?: AskOptions): Promise<string>
  /** As many requests of its own, side by side. */
  fork(): Host
}

export interface AskOptions {
  readonly isStream?: boolean
  readonly signal?: AbortSignal
  readonly runTool?: (name: string, input: unknown) => string
}

/** One API of one official client. */
export interface WrappedClient {
  readonly name: string
  readonly format: RequestFormat
  /** A conversation over a client that is wrapped, or as it is without options. */
  open(url: string, options: WrapOptions | undefined): Host
  /** The client's own error for an aborted request. */
  readonly abortError: RegExp
  /** Another API of a client that is tried whole: its long runs are in the slow lane. */
  readonly isSecond?: boolean
  /** It gives an empty answer where a stream says that the request was too long. */
  readonly hidesOverflowInStreams?: boolean
}

export const SYSTEM = 'You are an agent that reads files and says what is in them.'
export const INSTRUCTION =
  'Read every file under src/ from 1 to 200, never touch config/limits.json, and end with the word FINISHED.'
const WINDOW_TOKENS = 16_000

/** How far an agent gets in that window: a short run, and a long one in the slow lane. */
export const RUNS = [
  { steps: 36, leastCompressions: 1, options: {} },
  { steps: 200, leastCompressions: 6, options: { tags: 'slow' } },
]
/** The same in half of the window. */
const HEAD_RUNS = [
  { steps: 36, leastCompressions: 2 },
  { steps: 160, leastCompressions: 10 },
]

/** Counts as OpenAI does, whoever is asked. */
const counter = createTokenCounter(findModel('gpt-5'))
const countTokens = (raw: string, format: RequestFormat) =>
  counter.countConversation(formats[format].parse(raw)).upper

/** The text of a file, never twice the same. */
export function readFakeFile(number: number): string {
  const line = (index: number) =>
    `export const value${number}_${index} = compute(${number * 31 + index}, 'part ${index}')`
  return Array.from({ length: 24 }, (_, index) => line(index)).join('\n')
}

/** Asks for as many files, one at a time, and ends. */
export function readFiles(count: number): FakeModel {
  return (_, number) => {
    if (number > count) return { text: 'All of them are read. FINISHED' }
    return {
      text: `File ${number} comes next.`,
      toolCalls: [{ name: 'read_file', input: { path: `src/file-${number}.ts` } }],
    }
  }
}

/** What every wrapped client promises. */
export function testWrappedClient(client: WrappedClient): void {
  const long = client.isSecond ? { tags: 'slow' } : {}
  describe(client.name, () => {
    let upstream: FakeUpstream | undefined
    const start = async (model?: FakeModel, options?: FakeUpstreamOptions) => {
      upstream = await startFakeUpstream(model, options)
      return upstream
    }
    let compressions: ContextCompression[] = []
    let problems: unknown[] = []
    const watch = (options: WrapOptions = {}): WrapOptions => ({
      onProblem: (problem) => problems.push(problem),
      on: { 'compression-applied': ({ compression }) => compressions.push(compression) },
      ...options,
    })
    beforeEach(() => {
      compressions = []
      problems = []
    })
    afterEach(async () => {
      await upstream?.close()
      upstream = undefined
    })

    test.each([false, true])(
      'sends below the threshold what goes out without precis (streaming: %s)',
      async (isStream) => {
        const { url, requests } = await start(readFiles(3))
        const runTool = (_: string, input: unknown) => readFakeFile(JSON.stringify(input).length)
        const plain = await client.open(url, undefined).ask(INSTRUCTION, { isStream, runTool })
        await upstream?.close()
        const bare = requests.map(({ raw }) => raw)
        const wrapped = await start(readFiles(3))
        const followed = await client
          .open(wrapped.url, watch())
          .ask(INSTRUCTION, { isStream, runTool })
        expect(followed).toBe(plain)
        expect(bare).toHaveLength(4)
        expect(wrapped.requests.map(({ raw }) => raw)).toEqual(bare)
        expect(problems).toEqual([])
      },
    )

    for (const { steps, leastCompressions, options } of RUNS) {
      for (const isStream of [true, false]) {
        test(
          `finishes ${steps} steps in a window of 16 000 tokens (streaming: ${isStream})`,
          isStream ? { ...long, ...options } : { tags: 'slow' },
          async () => {
            const { url, requests } = await start(readFiles(steps), {
              windowTokens: WINDOW_TOKENS,
              countTokens,
            })
            const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS }))
            let read = 0
            const answer = await host.ask(INSTRUCTION, {
              isStream,
              runTool: () => readFakeFile(++read),
            })
            expect(answer).toContain('FINISHED')
            expect(problems).toEqual([])
            expect(requests).toHaveLength(steps + 1)
            expect(compressions.length).toBeGreaterThanOrEqual(leastCompressions)
            for (const { raw, tokens, isOverflow } of requests) {
              expect(isOverflow).toBe(false)
              expect(tokens).toBeLessThanOrEqual(WINDOW_TOKENS)
              expect(checkInvariants(formats[client.format].parse(raw))).toEqual([])
              expect(raw).toContain(INSTRUCTION)
            }
          },
        )
      }
    }

    test('takes turns: servers that insist on roles take every request', {
      tags: 'slow',
    }, async () => {
      const model = readFiles(Infinity)
      const { url, requests } = await start((request, number) =>
        number % 4 === 0 ? { text: `${number}: that is all.` } : model(request, number),
      )
      const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS / 4 }))
      let read = 0
      for (let turn = 1; turn <= 10; turn++) {
        await host.ask(`Turn ${turn}: ${INSTRUCTION}`, { runTool: () => readFakeFile(++read) })
      }
      expect(requests).toHaveLength(40)
      expect(compressions.length).toBeGreaterThan(3)
      expect(problems).toEqual([])
      expect(requests.map(({ raw }) => findRoleProblem(raw))).toEqual(requests.map(() => undefined))
    })

    for (const { steps, leastCompressions } of HEAD_RUNS) {
      test(`keeps the head of its requests byte for byte over ${leastCompressions} compressions and more`, {
        tags: 'slow',
      }, async () => {
        const { url, requests } = await start(readFiles(steps))
        const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS / 2 }))
        let read = 0
        await host.ask(INSTRUCTION, { runTool: () => readFakeFile(++read) })
        expect(compressions.length).toBeGreaterThanOrEqual(leastCompressions)
        // Marks of what to cache move with every request; they are no part of what is cached.
        const [first = '', ...later] = requests.map(({ raw }) =>
          raw.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
        )
        const head = first.slice(0, first.indexOf(INSTRUCTION) + INSTRUCTION.length)
        expect(later.filter((raw) => !raw.startsWith(head))).toEqual([])
        // Between two compressions every request goes on from the whole of the one before.
        const tail = first.length - first.indexOf(INSTRUCTION) - INSTRUCTION.length
        const bodies = [first, ...later]
        const breaks = bodies.filter((raw, index) => {
          const before = bodies[index - 1]
          return before !== undefined && measureSharedPrefix(before, raw) < before.length - tail
        })
        expect(breaks).toHaveLength(compressions.length)
      })
    }

    for (const isStream of client.hidesOverflowInStreams ? [false] : [false, true]) {
      test(`compresses and sends once more when the request was too long (streaming: ${isStream})`, {
        tags: 'slow',
      }, async () => {
        // What precis takes for the window is far more than there is.
        const { url, requests } = await start(readFiles(30), { windowTokens: 8000 })
        const host = client.open(url, watch({ windowTokens: 100_000 }))
        let read = 0
        const answer = await host.ask(INSTRUCTION, {
          isStream,
          runTool: () => readFakeFile(++read),
        })
        expect(answer).toContain('FINISHED')
        expect(problems).toEqual([])
        expect(compressions.map(({ trigger }) => trigger)).toContain('overflow')
        const overflows = requests.filter(({ isOverflow }) => isOverflow)
        expect(overflows.length).toBeGreaterThan(0)
        expect(requests.length).toBe(31 + overflows.length)
      })
    }

    test('gives the error of the provider as it is', async () => {
      const error = { message: 'the model is on holiday', type: 'invalid_request_error' }
      const { url } = await start(() => ({ status: 422, error }))
      const bare = await client.open(url, undefined).ask('hello').catch(describeError)
      const wrapped = await client.open(url, watch()).ask('hello').catch(describeError)
      expect(bare).toMatchObject({ status: 422 })
      expect(wrapped).toEqual(bare)
    })

    test.each([false, true])(
      'gives the error of an answer that breaks off (streaming: %s)',
      async (isStream) => {
        const { url } = await start(() => ({ text: readFakeFile(1), connection: 'break' }))
        const bare = await client
          .open(url, undefined)
          .ask('hello', { isStream })
          .catch(describeError)
        const wrapped = await client
          .open(url, watch())
          .ask('hello', { isStream })
          .catch(describeError)
        expect(bare).toHaveProperty('message')
        expect(wrapped).toEqual(bare)
        expect(problems).toEqual([])
      },
    )

    test('ends a request that is aborted while it waits for the answer', async () => {
      const { url, requests } = await start(() => ({ connection: 'hang' }))
      const abort = new AbortController()
      const asked = client.open(url, watch()).ask('hello', { signal: abort.signal })
      await expect.poll(() => requests.length).toBe(1)
      abort.abort()
      await expect(asked).rejects.toThrow(client.abortError)
      await expect.poll(() => upstream?.openRequests).toBe(0)
    })

    test('ends a request that is aborted while it is compressed, and sends nothing', {
      tags: 'slow',
    }, async () => {
      const { url, requests } = await start(readFiles(200))
      const abort = new AbortController()
      const summarizer = {
        name: 'slow',
        summarize: () => {
          abort.abort()
          return new Promise<never>(() => {})
        },
      }
      const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS, summarizer }))
      let read = 0
      const asked = host.ask(INSTRUCTION, {
        signal: abort.signal,
        runTool: () => readFakeFile(++read),
      })
      await expect(asked).rejects.toThrow(client.abortError)
      expect(requests.length).toBeLessThan(200)
      expect(problems).toEqual([])
    })

    test('follows conversations side by side, each by itself', {
      tags: 'slow',
    }, async () => {
      const { url, requests } = await start(({ raw }) => {
        const name = /conversation ([A-E])/.exec(raw)?.[1] ?? ''
        const steps = raw.split(`${name} step`).length
        return steps > 20 || raw.includes('done enough')
          ? { text: `end of ${name}` }
          : { toolCalls: [{ name: 'read_file', input: { path: `${name}-${steps}.ts` } }] }
      })
      const [first, ...others] = ['A', 'B', 'C', 'D', 'E']
      const open = client.open(url, watch({ windowTokens: WINDOW_TOKENS }))
      const run = (host: Host, name: string) => {
        let read = 0
        const runTool = () =>
          `${name} step ${++read}\n${read > 60 ? 'done enough' : readFakeFile(read)}`
        return host.ask(`This is conversation ${name}.`, { runTool })
      }
      const answers = await Promise.all([
        run(open, first ?? ''),
        ...others.map((name) => run(open.fork(), name)),
      ])
      expect(answers).toEqual(['A', 'B', 'C', 'D', 'E'].map((name) => `end of ${name}`))
      for (const { raw } of requests) {
        const names = new Set(
          [...raw.matchAll(/conversation ([A-E])|([A-E]) step/g)].map(
            (found) => found[1] ?? found[2],
          ),
        )
        expect(names.size).toBe(1)
      }
      expect(problems).toEqual([])
    })

    test('sends what it was given when precis fails, and says so', async () => {
      const { url, requests } = await start(readFiles(3))
      const problem = new Error('the settings are broken')
      const settings = {
        get windowTokens(): number {
          throw problem
        },
      }
      const host = client.open(url, watch({ perRequest: () => settings }))
      const answer = await host.ask(INSTRUCTION, { runTool: () => 'nothing' })
      expect(answer).toContain('FINISHED')
      expect(requests).toHaveLength(4)
      expect(problems).toEqual([problem, problem, problem, problem])
    })

    test.each([false, true])(
      'believes the provider how long a request was (streaming: %s)',
      async (isStream) => {
        const { url } = await start(readFiles(3), { countTokens: () => 14_000 })
        const planned: number[] = []
        const on = {
          'compression-planned': ({ tokens }: { readonly tokens: number }) => planned.push(tokens),
        }
        const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS, on }))
        await host.ask(INSTRUCTION, { isStream, runTool: () => readFakeFile(1) })
        expect(planned[0]).toBeGreaterThan(14_000)
      },
    )

    test('leaves requests alone that are to be left alone', { tags: 'slow' }, async () => {
      const { url, requests } = await start(readFiles(60))
      const host = client.open(url, watch({ windowTokens: WINDOW_TOKENS, perRequest: () => false }))
      let read = 0
      await host.ask(INSTRUCTION, { runTool: () => readFakeFile(++read) })
      expect(compressions).toEqual([])
      expect(requests.at(-1)?.raw).toContain(JSON.stringify(readFakeFile(1)).slice(1, -1))
    })
  })
}

/**
 * What a chat template that insists on alternating roles would reject in a body of any of these
 * APIs.
 */
function findRoleProblem(raw: string): string | undefined {
  const body = JSON.parse(raw)
  const entries: readonly JsonObject[] = body.messages ?? body.contents ?? body.input
  const roles = entries.map(readSide).filter((side) => side !== 'system')
  const at = roles.findIndex((side, index) => {
    const before = roles[index - 1]
    if (side === 'user') return before === 'user' || before === 'tool'
    return side === 'assistant' && before === side && !('input' in body)
  })
  return roles[0] === 'user' && at < 0 ? undefined : `${at}: ${roles.join(' ')}`
}

function readSide({ role, type, content, parts }: JsonObject): string {
  const blocks = JSON.stringify(content ?? parts) ?? ''
  if (role === 'tool' || type === 'function_call_output') return 'tool'
  if (role === 'user') return /"(tool_result|functionResponse)"/.test(blocks) ? 'tool' : 'user'
  return role === 'system' || role === 'developer' ? 'system' : 'assistant'
}

function describeError(error: unknown) {
  if (!(error instanceof Error)) return { error }
  return {
    name: error.constructor.name,
    message: error.message,
    status: Reflect.get(error, 'status'),
  }
}
