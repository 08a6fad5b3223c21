/** Originals to keep, and the databases to keep them in. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FormatName, formats } from '@precis/core/formats'
import { afterAll, beforeAll, describe } from 'vitest'
import { createUuid } from '../cli/command.suite.ts'
import { hasPostgres, startPostgres, type TestServer } from '../database/postgres.suite.ts'
import { createMemorySource } from '../files/read-document.ts'
import { findRecordChanges } from './hash-pieces.ts'
import type { StoredOriginal } from './store-original.ts'

/** Gives another place at each call: the path of a file, or the address of a database. */
export type CreatePlace = () => Promise<string>

/** The same facts of both databases; those of PostgreSQL only where one can be started. */
export function describeBoth(title: string, define: (createPlace: CreatePlace) => void): void {
  describe(`${title}, in SQLite`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-archive-'))
    let count = 0
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
    define(async () => join(folder, `${++count}`, 'archive.db'))
  })
  const needs = hasPostgres
    ? ''
    : ' (skipped: no initdb in PATH, and PRECIS_TEST_POSTGRES is not set)'
  describe.skipIf(!hasPostgres)(`${title}, in PostgreSQL${needs}`, { tags: 'slow' }, () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startPostgres()
      return () => server.stop()
    }, 60_000)
    define(() => server.createDatabase())
  })
}

/** A compression that leaves the last message alone. */
export function createOriginal(
  text: string | Buffer,
  change: Partial<StoredOriginal> = {},
  format: FormatName = 'claude-code',
) {
  const source = createMemorySource(Buffer.from(text))
  const conversation = formats[format].parse(source)
  const after = { messages: conversation.messages.slice(-1) }
  const original: StoredOriginal = {
    command: 'compress',
    source,
    format,
    sessionId: createUuid(1),
    path: undefined,
    changes: findRecordChanges(conversation, after, formats[format]),
    newSessionId: createUuid(2),
    newPath: undefined,
    report: { strategy: 'test' },
    ...change,
  }
  return { original, conversation }
}

/** All chunks as one. */
export async function concatenate(original: Promise<AsyncIterable<Uint8Array>>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await original) chunks.push(chunk)
  return Buffer.concat(chunks)
}
