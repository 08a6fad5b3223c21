import { findOverflow, type Refusal } from '@precis/core'
import { CallError } from '../../summarizers/call-error.ts'
import type { ChatEvent } from '../chat-agent.ts'
import type { ConnectedModel } from '../models/connect-model.ts'

/** A request that was not sent: no compression makes it fit. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError'
  readonly refusal: Refusal | undefined
  constructor(refusal: Refusal | undefined) {
    super('The request does not fit.')
    this.refusal = refusal
  }
}

/** The same as for summaries, and for what a provider says in the middle of a stream, which is no `Error`. */
export async function explainCall(error: unknown, { key }: ConnectedModel): Promise<CallError> {
  if (error instanceof CallError) return error
  const { explainError } = await import('../../summarizers/explain-error.ts')
  const thrown = error instanceof Error ? error : new Error(readMessage(error))
  const explained = explainError(thrown, key)
  if (findOverflow(error)) return repeatAs('overflow', explained)
  return thrown !== error && FINAL.test(JSON.stringify(error)) ? repeatAs('rejected-request', explained) : explained
}

const FINAL = /"(?:invalid_request_error|authentication_error|permission_error|not_found_error|invalid_prompt)"/

function repeatAs(reason: 'overflow' | 'rejected-request', { failure }: CallError): CallError {
  return new CallError({ ...failure, reason }, 'never')
}

function readMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const inner: unknown = 'error' in error ? error.error : undefined
  if (typeof inner === 'object' && inner !== null) return readMessage(inner)
  return 'message' in error ? String(error.message) : JSON.stringify(error)
}

/** What went wrong with a request, and what the person can do. Their message is in the history whatever it was. */
export async function explainFailure(
  error: unknown,
  model: ConnectedModel,
): Promise<Extract<ChatEvent, { type: 'error' }>> {
  if (error instanceof UnfitError) return explainUnfit(error)
  const { failure } = await explainCall(error, model)
  return { type: 'error', message: `${model.name}: ${failure.message}`, hint: HINTS[failure.reason](model) }
}

const HINTS: Readonly<Record<CallError['failure']['reason'], (model: ConnectedModel) => string>> = {
  overflow: () =>
    'The history is too long for this model even after a compression: try /compress, or a larger one with /model.',
  refused: () => 'Say it in other words, or try another model with /model.',
  unavailable: () => 'Your message is kept: /retry sends it again, or switch with /model.',
  'timed-out': () => 'Your message is kept: /retry sends it again, or switch with /model.',
  'rejected-request': () => 'Another model may take it: /model.',
  misconfigured: ({ keySource }) =>
    keySource === ''
      ? 'Check the name of the model and the address.'
      : `Check ${keySource}, the name of the model and the address, or switch with /model.`,
}

function explainUnfit({ refusal }: UnfitError): Extract<ChatEvent, { type: 'error' }> {
  const item = refusal
    ? `: ${refusal.item} alone has ${refusal.itemTokens} ${refusal.limit}, and ${refusal.budgetTokens} is the room there is`
    : ''
  return {
    type: 'error',
    message: `The request does not fit into the window of this model${item}.`,
    hint: 'Switch to a model with a larger window with /model, or give it in smaller pieces.',
  }
}
