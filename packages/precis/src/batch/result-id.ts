/**
 * Ids that follow from what they name. The same session with the same settings has the same result, on every machine and
 * in every run: whether it was compressed already is seen by looking whether its result is there.
 *
 *   bytes of the original ─┐
 *   settings ──────────────┴─ SHA-256 ──► id of the result ──► ids of what is new in it
 */
import { createHash } from 'node:crypto'
import type { Agent } from '../sessions/agent-home.ts'
import { type BatchSettings, renderSettings } from './settings.ts'

/** `sha256` is of the bytes of the original, in hexadecimal digits. A UUID, or as the agent writes its ids. */
export function deriveResultId(sha256: string, settings: BatchSettings, agent: Agent): string {
  const id = deriveUuid(`precis compress\n${sha256}\n${renderSettings(settings)}`)
  return agent === 'opencode' ? `ses_${id.replaceAll('-', '').slice(0, 26)}` : id
}

/** Gives another UUID at each call, the same ones for the same seed. */
export function createIdSource(seed: string): () => string {
  let count = 0
  return () => deriveUuid(`${seed}\n${count++}`)
}

/** In the form of version 4, which every agent takes. */
export function deriveUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Names a session among those of all agents. Of an id of Gemini CLI the name of a file has only the beginning. */
export function nameSession(agent: string, id: string): string {
  return `${agent} ${agent === 'gemini-cli' ? id.slice(0, GEMINI_DIGITS) : id}`.toLowerCase()
}

export const GEMINI_DIGITS = 8
