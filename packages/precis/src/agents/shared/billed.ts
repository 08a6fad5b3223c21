/** What an agent records of the tokens that its provider billed. */
import type { Part } from '@precis/core'
import type { BilledTokens } from '@precis/core/engine'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'

/** Tokens of one request. Each token of the prompt is counted in exactly one of the four inputs. */
export interface BilledRequest extends BilledTokens {
  readonly model: string
  /**
   * Number of a native record of its answer, as messages name records. If there are several, the
   * latest.
   */
  readonly record: number
  /** When it was answered, in milliseconds since 1970. Undefined if that is not recorded. */
  readonly timeMs?: number | undefined
  /**
   * The same in every copy of the request, such as a fork, a clone or an undone session. Undefined
   * if nothing identifies it.
   */
  readonly id?: string
  /** The parts of its answer that the session contains. */
  readonly answer?: readonly Part[]
}

/**
 * Everything that a session was billed up to a place, as its agent sums it up. Includes requests
 * that are not in the session, of sub-agents and compactions. A fork continues from the sum of its
 * source.
 */
export interface BilledSum {
  /** The same in a fork and its source. */
  readonly account: string
  /** Number of the native record with the sum. -1 for zero, before the first one. */
  readonly record: number
  readonly models: readonly (BilledTokens & Pick<BilledRequest, 'model'>)[]
}

/** All tokens of a request: prompt and answer. */
export function sumTokens(billed: BilledTokens): number {
  const { input, cachedInput, cacheWrite, cacheWriteLong, output } = billed
  return input + cachedInput + cacheWrite + cacheWriteLong + output
}

/** Names a request by the time and usage of its answer, if a copy shares no other name with it. */
export function nameByTime(time: unknown, usage: unknown): string | undefined {
  return typeof time === 'string' || typeof time === 'number'
    ? `${time} ${JSON.stringify(usage)}`
    : undefined
}

/** The inputs of a request whose counted prompt includes what was cached. */
export function splitPrompt(promptTokens: unknown, cached: unknown, written?: unknown) {
  const [cachedInput, cacheWrite] = [asCount(cached), asCount(written)]
  const input = Math.max(asCount(promptTokens) - cachedInput - cacheWrite, 0)
  return { input, cachedInput, cacheWrite, cacheWriteLong: 0 }
}

/** The words, the reasoning and the calls of an answer, from the blocks of any agent. */
export function readAnswerParts(content: unknown): Part[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block) =>
    typeof block === 'string' ? [toText(block)] : readBlock(asObject(block) ?? {}),
  )
}

function readBlock(block: JsonObject): Part[] {
  const call = asObject(block.functionCall) ?? block
  if (typeof call.name === 'string')
    return [toText(`${call.name} ${render(call.input ?? call.arguments ?? call.args)}`)]
  const { thinking = block.summary, signature = block.encrypted_content } = block
  const seal = asText(signature ?? block.data) ?? ''
  if (thinking !== undefined || seal !== '')
    return [{ type: 'reasoning', text: render(thinking), signatureLength: seal.length }]
  return typeof block.text === 'string' ? [toText(block.text)] : []
}

const render = (value: unknown = ''): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const toText = (text: string): Part => ({ type: 'text', text })
