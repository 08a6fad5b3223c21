/** Commands and agents that go on after their call, until the host or a later call tells their end. */

import { type CallOutcome, findSession, type Notice } from '../actions/outcome.ts'
import type { Action } from '../actions/tool-calls.ts'
import { hosts } from '../conversation/hosts.data.ts'
import type { CallEvent } from './draft.ts'

export class Running {
  /** By the id with which they are asked about. */
  readonly #events = new Map<string, readonly CallEvent[]>()

  get size(): number {
    return this.#events.size
  }

  of(session: string | undefined): readonly CallEvent[] | undefined {
    return session === undefined ? undefined : this.#events.get(session)
  }

  /** `isNext`: a script began it together with the one before. */
  begin(session: string, event: CallEvent, isNext: boolean): void {
    const { action, outcome } = event
    if (!outcome || (action.command === undefined && action.kind !== 'delegate')) return
    event.state = 'still running'
    // The host's words are no output.
    const host = findSession(outcome.text)
    if (host) event.outcome = { ...outcome, text: outcome.text.slice(0, host.index) }
    this.#events.set(session, [...(isNext ? (this.of(session) ?? []) : []), event])
  }

  /** Notes what an action stopped. */
  stop({ deeds = [] }: Action): void {
    for (const { kind, deed, name } of deeds) {
      if (kind !== 'background task' || deed !== 'ended') continue
      for (const event of this.of(name) ?? []) event.state = 'stopped'
    }
  }

  /** Notes an end that the host tells, with `told` as output. False if nothing of it is known. */
  end({ session, outcome, isStopped }: Notice, told: string): boolean {
    const events = this.of(session)
    if (!events) return false
    joinOutcome(events, '', { ...outcome, text: told })
    if (isStopped) for (const event of events) event.state = 'stopped'
    return true
  }
}

const heardFrames = hosts.flatMap(({ frame }) => frame?.heard ?? [])
// The host speaks before the output, after the command it repeats there.
const HEADER_LENGTH = 2_000

/** Adds what a later call heard of a command. The output belongs to the last of several. */
export function joinOutcome(events: readonly CallEvent[], raw: string, heard: CallOutcome): void {
  const frame = readFrame(raw)
  const [code] = heardFrames.flatMap(({ exitCode }) => exitCode?.exec(frame)?.[1] ?? [])
  const exitCode = heard.exitCode ?? (code === undefined ? undefined : Number(code))
  const isRunning =
    heard.session !== undefined || heardFrames.some(({ running }) => running.test(frame))
  for (const event of events) event.state = isRunning ? 'still running' : undefined
  const last = events.at(-1)
  if (!last) return
  last.outcome = {
    failed: heard.failed || (exitCode ?? 0) !== 0,
    text: [last.outcome?.text ?? '', heard.text].filter((text) => text.trim() !== '').join('\n'),
    exitCode,
  }
}

function readFrame(raw: string): string {
  const head = raw.slice(0, HEADER_LENGTH)
  const output = head.search(/^Output:$/m)
  return output < 0 ? head : head.slice(0, output)
}
