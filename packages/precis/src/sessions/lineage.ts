/** The origin of a cloned session: a small file next to it, without any of its words. */

import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { ByteSource } from '@precis/core/formats'
import { agents as allAgents } from '../agents/index.ts'
import { resolveRealPlace } from '../agents/shared/session-files.ts'
import { asObject, asText, type JsonObject } from '../files/lines.ts'
import { type OpenDocument, readInputFile } from '../files/read-document.ts'
import { writeFileAtomically } from '../files/write-file.ts'
import { locateStored, type SessionFile } from './find-sessions.ts'

/** One clone: what was made of what, when, how, and what came of it. */
export interface CloneGeneration {
  /** Id of the written session. Undefined for a document without an id. */
  readonly sessionId: string | undefined
  readonly original: Original
  /** ISO 8601. */
  readonly clonedAt: string
  readonly settings: JsonObject
  readonly statistics: JsonObject
}

export interface Original {
  readonly sessionId: string | undefined
  /** Absolute. Undefined for standard input. */
  readonly path: string | undefined
  /** Hash of the bytes that were read, as 64 hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
}

const VERSION = 1
// A file of more bytes, or more generations, was not written by precis.
const MOST_BYTES = 4 << 20
const MOST_GENERATIONS = 100
const PRIVATE_MODE = 0o600

/** `<session>.precis.json`. Hidden if an agent would read that file as a session. */
export function findLineagePath(sessionPath: string, agents = allAgents): string {
  const path = locateStored(sessionPath, agents)?.beside ?? sessionPath.replace(/\.jsonl?$/i, '')
  const name = `${basename(path)}.precis.json`
  const isTaken = agents.some((agent) => agent.takesForSession?.(name))
  return join(dirname(path), isTaken ? `.${name}` : name)
}

/** Writes the newest generation and those before it, newest first. Private: it names paths. */
export async function writeLineage(
  sessionPath: string,
  generations: readonly CloneGeneration[],
): Promise<void> {
  const lineage = { version: VERSION, generations: generations.slice(0, MOST_GENERATIONS) }
  const text = `${JSON.stringify(lineage, undefined, 2)}\n`
  await writeFileAtomically(findLineagePath(sessionPath), [Buffer.from(text)], {
    mode: PRIVATE_MODE,
  })
}

/**
 * The generations of a session, newest first. Empty if it is not a clone, or its file is not from
 * precis.
 */
export function readLineage(
  { path }: OpenDocument,
  sessionId: string | undefined,
): CloneGeneration[] {
  if (path === undefined) return []
  const generations = readGenerations(findLineagePath(path))
  // A file that another session left says nothing about this one.
  return generations[0]?.sessionId === sessionId ? generations : []
}

/** The origin of a cloned session, by the file next to it. Undefined if it is not a clone. */
export function readOrigin({ path, id }: SessionFile) {
  const [newest] = readGenerations(findLineagePath(path))
  // The name of a file may have only the beginning of the id.
  if (!newest?.sessionId?.startsWith(id)) return undefined
  const { clonedAt, original } = newest
  return { command: 'clone', at: clonedAt, sessionId: original.sessionId, path: original.path }
}

function readGenerations(path: string): CloneGeneration[] {
  let lineage: JsonObject | undefined
  try {
    const text = readInputFile(path)
    lineage = text.length > MOST_BYTES ? undefined : asObject(JSON.parse(text.toString('utf8')))
  } catch {
    // Most sessions have no such file, and an unreadable one is no reason to refuse a clone.
    return []
  }
  if (lineage?.version !== VERSION || !Array.isArray(lineage.generations)) return []
  const generations: CloneGeneration[] = []
  for (const value of lineage.generations.slice(0, MOST_GENERATIONS)) {
    const generation = readGeneration(asObject(value))
    // Generations after a gap have no known session.
    if (!generation) break
    generations.push(generation)
  }
  return generations
}

function readGeneration(value: JsonObject | undefined): CloneGeneration | undefined {
  const original = asObject(value?.original)
  const sha256 = asText(original?.sha256)
  const clonedAt = asText(value?.clonedAt)
  const bytes = original?.bytes
  if (!value || sha256 === undefined || clonedAt === undefined || typeof bytes !== 'number')
    return undefined
  return {
    sessionId: asText(value.sessionId),
    original: {
      sessionId: asText(original?.sessionId),
      path: asText(original?.path),
      sha256,
      bytes,
    },
    clonedAt,
    settings: asObject(value.settings) ?? {},
    statistics: asObject(value.statistics) ?? {},
  }
}

/** Reads the whole document once. */
export function describeOriginal(
  { source, path }: OpenDocument,
  sessionId: string | undefined,
): Original {
  return {
    sessionId,
    path: path === undefined ? undefined : resolveRealPlace(path),
    sha256: hashSource(source),
    bytes: source.byteLength,
  }
}

const CHUNK_BYTES = 1 << 20

/** The SHA-256 of a document, or of its beginning, in hexadecimal digits. */
export function hashSource(source: ByteSource, end = source.byteLength): string {
  const sha256 = createHash('sha256')
  for (let start = 0; start < end; start += CHUNK_BYTES) {
    sha256.update(source.read(start, Math.min(start + CHUNK_BYTES, end)))
  }
  return sha256.digest('hex')
}
