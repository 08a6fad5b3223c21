/**
 * What precis knows of each agent, and a session of each version that was looked at: files beside
 * this one, made by `--newest --accept`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isJsonObject } from '../../packages/core/src/formats/shared/json.ts'
import { mergeShapes } from './shapes.ts'
import type { AgentShapes, Surveyed } from './survey.ts'

const SHAPES = new URL('known/', import.meta.url)
const SESSIONS = new URL('sessions/', import.meta.url)

/** Nothing of an agent that was never asked. */
export function readKnown(agent: string): AgentShapes {
  const file = new URL(`${agent}.json`, SHAPES)
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { agent, version: '0', records: {}, requests: {}, opaque: [] }
}

/** The text of its scripted session, by version. */
export function readSessions(agent: string): Map<string, string> {
  const folder = new URL(`${agent}/`, SESSIONS)
  return new Map(
    readdirSync(folder).map((name) => [
      name.replace('.jsonl', ''),
      readFileSync(new URL(name, folder), 'utf8'),
    ]),
  )
}

/** Older kinds stay: sessions of them are still there. */
export function writeKnown({ shapes, session }: Surveyed): void {
  const { agent, records, requests, opaque } = shapes
  const known = readKnown(agent)
  const merged: AgentShapes = {
    ...shapes,
    version: findNewest([known.version, shapes.version]),
    records: mergeShapes(known.records, records),
    requests: mergeShapes(known.requests, requests),
    opaque: [...new Set([...known.opaque, ...opaque])].toSorted(),
  }
  const folder = new URL(`${agent}/`, SESSIONS)
  for (const place of [SHAPES, folder]) mkdirSync(place, { recursive: true })
  writeFileSync(new URL(`${agent}.json`, SHAPES), `${JSON.stringify(merged, null, 1)}\n`)
  writeFileSync(new URL(`${shapes.version}.jsonl`, folder), shortenSession(session))
}

const findNewest = (versions: readonly string[]): string =>
  versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? ''

const LONGEST_TEXT = 400
const LONGEST_LIST = 2

/** The session without the long texts and lists of the agent: its prompts, its tools. */
function shortenSession(text: string): string {
  const lines = text.trimEnd().split('\n')
  const isLog = lines.every((line) => line.startsWith('{') && line.endsWith('}'))
  const values: unknown[] = isLog
    ? lines.map((line): unknown => JSON.parse(line))
    : [JSON.parse(text)]
  return values.map((value) => `${JSON.stringify(shorten(value))}\n`).join('')
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.length > LONGEST_TEXT
      ? `${value.slice(0, 40)} … (${value.length} characters)`
      : value
  }
  if (Array.isArray(value)) return value.map(shorten)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      SCHEMAS.has(key)
        ? {}
        : Array.isArray(member) && LISTS.has(key)
          ? member.slice(0, LONGEST_LIST).map(shorten)
          : shorten(member),
    ]),
  )
}

/** Lists of the agent's own: of its tools, skills and parts of its prompt. */
const LISTS = new Set([
  'tools',
  'toolsAdded',
  'addedNames',
  'addedLines',
  'names',
  'digests',
  'systemPrompt',
  'dynamic_tools',
])

const SCHEMAS = new Set(['input_schema', 'parameters', 'parametersJsonSchema'])
