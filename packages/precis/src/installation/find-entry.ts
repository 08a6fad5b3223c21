/** Finds the entries of precis in the files of an agent. */

import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, type Node } from 'jsonc-parser'
import type {
  Agent,
  JsonEntry,
  JsonValue,
  SettingsEntry,
  StartCommand,
} from '../agents/shared/agent.ts'
import { judgeMarkedFile } from '../agents/shared/marked-file.ts'
import { findProgram } from '../agents/shared/run-precis.ts'
import { AgentFileError } from '../files/errors.ts'
import { asObject } from '../files/lines.ts'
import { readAgentFile } from './agent-file.ts'
import { findValue, type JsonDocument, parseJsonDocument } from './json-document.ts'
import { findTomlTable, findTomlValue } from './toml-entry.ts'

/**
 * `installed`: as precis would write it, apart from additions by the user or the agent. `own`:
 * written by precis in another form, such as another installation or an edited entry. `foreign`:
 * something else has its place. `unfit`: the file cannot contain it.
 */
export type EntryState =
  | { readonly type: 'absent' | 'installed' | 'own' | 'foreign' }
  | { readonly type: 'unfit'; readonly problem: string }

export function findSettingsEntry(text: string | undefined, entry: SettingsEntry): EntryState {
  if (text === undefined) return { type: 'absent' }
  switch (entry.type) {
    case 'json':
      return findJsonEntry(text, entry)
    case 'toml':
      return findTomlTable(text, entry)
    case 'toml-value':
      return findTomlValue(text, entry)
    case 'file': {
      if (text === entry.text) return { type: 'installed' }
      return { type: judgeMarkedFile(text) === 'own' ? 'own' : 'foreign' }
    }
  }
}

function findJsonEntry(text: string, entry: JsonEntry): EntryState {
  const document = parseJsonDocument(text)
  if ('problem' in document) return { type: 'unfit', ...document }
  const problem = findObstacle(document, entry)
  if (problem !== undefined) return { type: 'unfit', problem }
  const found = listOwnNodes(document, entry)
  if (found.some((node) => says(readValue(node), entry.value))) return { type: 'installed' }
  if (found.length > 0) return { type: 'own' }
  return { type: !entry.isElement && findValue(document.root, entry.names) ? 'foreign' : 'absent' }
}

function says(found: unknown, written: JsonValue): boolean {
  const members = Object.entries(asObject(written) ?? {})
  return members.every(([name, value]) => isDeepStrictEqual(asObject(found)?.[name], value))
}

/** The value to write, with the members that only the present one of precis has. */
export function addFoundMembers(text: string, entry: JsonEntry): JsonValue {
  const document = parseJsonDocument(text)
  if (entry.isElement || 'problem' in document) return entry.value
  const [node] = listOwnNodes(document, entry)
  const written = asObject(entry.value)
  const found = node && asObject(readValue(node))
  return found && written ? ({ ...found, ...written } as JsonValue) : entry.value
}

/** Plain objects, because the parser's own have no prototype. */
function readValue(node: Node): unknown {
  return structuredClone<unknown>(getNodeValue(node))
}

/** The value of the member, or the elements of the list, that precis wrote. */
export function listOwnNodes(
  { root }: JsonDocument,
  { names, isElement, isOwn }: JsonEntry,
): Node[] {
  const node = findValue(root, names)
  const candidates =
    isElement && node?.type === 'array' ? (node.children ?? []) : node ? [node] : []
  return candidates.filter((candidate) => isOwn(readValue(candidate)))
}

/** Every value on the path has to be an object, and the one with elements a list. */
function findObstacle({ root }: JsonDocument, { names, isElement }: JsonEntry): string | undefined {
  const depth = isElement ? names.length : names.length - 1
  for (let length = 1; length <= depth; length++) {
    const node = findValue(root, names.slice(0, length))
    const expected = isElement && length === names.length ? 'array' : 'object'
    if (node && node.type !== expected) {
      const kind = expected === 'array' ? 'no list' : 'no object'
      return `"${names.slice(0, length).join('.')}" in it is ${kind}`
    }
  }
  return undefined
}

/** Whether the plugin of precis already adds the same entry. */
export const isBrought = (entry: SettingsEntry): boolean =>
  entry.type === 'file' && entry.isBrought?.() === true

export interface EntryStatus {
  readonly what: string
  readonly path: string
  /**
   * `outdated`: by another installation of precis, or edited. `foreign`: something else has its
   * place or its name. `brought`: the plugin adds it.
   */
  readonly state: 'absent' | 'brought' | 'installed' | 'outdated' | 'foreign' | 'unreadable'
  /** Why the state is unknown. */
  readonly problem?: string
}

export interface AgentStatus {
  readonly agent: Agent
  /** Whether the agent was used, or its command is on the `PATH`. */
  readonly isFound: boolean
  readonly entries: readonly EntryStatus[]
}

/** `others`: entries that only some installations have. */
export function findAgentStatus(
  agent: Agent,
  command: StartCommand,
  others: readonly SettingsEntry[] = [],
): AgentStatus {
  const { installation, headless } = agent
  const environment = process.env
  const traces = installation?.findTraces(environment) ?? []
  return {
    agent,
    isFound:
      traces.some((path) => existsSync(path)) ||
      (headless !== undefined && findProgram(headless.program) !== undefined),
    entries: [...(installation?.listEntries({ environment, command }) ?? []), ...others].map(
      describeEntry,
    ),
  }
}

/** Whether precis is in the agent's files, in any form. */
export const isInstalled = ({ entries }: AgentStatus): boolean =>
  entries.some(({ state }) => ['installed', 'brought', 'outdated'].includes(state))

function describeEntry(entry: SettingsEntry): EntryStatus {
  const { what, path } = entry
  try {
    const found = findSettingsEntry(readAgentFile(path), entry)
    if (found.type === 'unfit') return { what, path, state: 'unreadable', problem: found.problem }
    if (isBrought(entry) && found.type !== 'foreign')
      return { what, path, state: found.type === 'absent' ? 'brought' : 'outdated' }
    return { what, path, state: found.type === 'own' ? 'outdated' : found.type }
  } catch (error) {
    if (error instanceof AgentFileError)
      return { what, path, state: 'unreadable', problem: error.message }
    throw error
  }
}
