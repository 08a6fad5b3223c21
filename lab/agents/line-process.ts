/** A program that speaks JSON, one value a line. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import {
  isJsonObject,
  type JsonObject,
  toObject,
} from '../../packages/core/src/formats/shared/json.ts'
import type { Run } from './driver.ts'

/** A busy machine needs all of it. */
export const MOST_WAIT_MS = 120_000

export interface LineProcess {
  send(value: object): void
  /**
   * The next line that matches, from now on. Rejects after two minutes, and when the program ends
   * before.
   */
  next(matches: (value: JsonObject) => boolean): Promise<JsonObject>
  /** Sends a request of JSON-RPC; the result of its answer. */
  request(method: string, params: object): Promise<JsonObject>
  /**
   * Closes its input and waits for its end. After ten seconds it is stopped, or after `patienceMs`
   * if it has an answer of its own to finish.
   */
  end(patienceMs?: number): Promise<void>
}

type Answer = (request: JsonObject) => object | undefined

/** `answer` gives what is sent back to a line: to a request of the program to its user. */
export function startLines(
  { command, project, environment }: Run,
  words: readonly string[],
  answer: Answer,
): LineProcess {
  const [program = '', ...before] = command
  const child = spawn(program, [...before, ...words], { cwd: project, env: environment })
  const waiting = new Set<{
    matches: (value: JsonObject) => boolean
    resolve: (value: JsonObject) => void
  }>()
  const failing = new Set<(error: Error) => void>()
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void ended.then(() => {
    for (const fail of failing) fail(new Error(`${program} ${words.join(' ')} ended. ${errors}`))
  })
  const send = (value: object) => void child.stdin.write(`${JSON.stringify(value)}\n`)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const value = parseLine(line)
    if (!value) return
    const reply = answer(value)
    if (reply) send(reply)
    for (const waiter of waiting) if (waiter.matches(value)) waiter.resolve(value)
  })
  const next = (matches: (value: JsonObject) => boolean) => {
    const found = new Promise<JsonObject>((resolve, reject) => {
      const waiter = { matches, resolve: (value: JsonObject) => settle(() => resolve(value)) }
      const fail = (error: Error) => settle(() => reject(error))
      const timer = setTimeout(() => {
        // Nobody waits for its end any more.
        child.kill('SIGKILL')
        fail(new Error(`${program} said nothing more. ${errors}`))
      }, MOST_WAIT_MS)
      const settle = (done: () => void) => {
        clearTimeout(timer)
        waiting.delete(waiter)
        failing.delete(fail)
        done()
      }
      waiting.add(waiter)
      failing.add(fail)
    })
    // Of several that wait for one program, the first to fail is told.
    found.catch(() => {})
    return found
  }
  let count = 0
  return {
    send,
    next,
    async request(method, params) {
      const id = ++count
      const answered = next((value) => value.id === id && value.method === undefined)
      send({ jsonrpc: '2.0', id, method, params })
      const { result, error } = await answered
      if (error !== undefined)
        throw new Error(`${program}: ${method} failed: ${JSON.stringify(error)}`)
      return toObject(result)
    },
    async end(patienceMs = 10_000) {
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      child.stdin.end()
      await ended
      clearTimeout(timer)
    },
  }
}

function parseLine(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    // Words for people.
    return undefined
  }
}
