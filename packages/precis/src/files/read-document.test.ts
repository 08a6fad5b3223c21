import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openDocument } from './read-document.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-document-'))
const path = join(folder, 'session.jsonl')

afterAll(() => rmSync(folder, { recursive: true }))

describe('a document', () => {
  test('that an agent is writing is read up to the end of a line, and no further', async () => {
    writeFileSync(path, '{"a":1}\n{"b"')
    setTimeout(() => appendFileSync(path, ':2}\n'), 20)
    const document = await openDocument(path)
    const { source } = document
    appendFileSync(path, '{"c":3}\n')
    expect(Buffer.from(source.read(0, source.byteLength)).toString()).toBe('{"a":1}\n{"b":2}\n')
    expect(source.byteLength).toBe(16)
    document.close()
  })

  test('whose last line never ends is read after a moment', async () => {
    writeFileSync(path, '{"a":1}\n{"b"')
    const document = await openDocument(path)
    const { source } = document
    expect(source.byteLength).toBe(12)
    document.close()
  })

  test('that becomes shorter while it is read is refused, not padded', async () => {
    writeFileSync(path, '{"a":1}\n{"b":2}\n')
    const document = await openDocument(path)
    const { source } = document
    truncateSync(path, 4)
    expect(() => source.read(0, 16)).toThrow('became shorter')
    document.close()
  })

  test('gives views that are copied by slice', async () => {
    writeFileSync(path, '{"a":1}\n{"b":2}\n')
    const document = await openDocument(path)
    const { source } = document
    const first = source.read(0, 8).slice()
    source.read(8, 16)
    expect(Buffer.from(first).toString()).toBe('{"a":1}\n')
    document.close()
  })

  test.each(['/dev/null', '/dev/zero', '/dev/tty'])(
    'that is a device is refused: %s',
    async (device) => {
      await expect(openDocument(device)).rejects.toThrow(
        `Reading "${device}": it is a pipe, a socket or a device`,
      )
    },
  )
})
