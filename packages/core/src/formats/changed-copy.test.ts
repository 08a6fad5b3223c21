/** A changed copy of a session keeps and leaves out what the page of its format says. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apply } from '../conversation/apply.ts'
import { readText } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { copySamples } from './changed-copy.suite.ts'
import { readOutput } from './ground/format.suite.ts'
import { createNewSession } from './ground/new-session.suite.ts'
import { formats } from './index.ts'

const pages = new URL('../../../../docs/formats/', import.meta.url)
const sessions = Object.values(formats).filter(({ kind }) => kind === 'session')

/** What the page says of each kind of record that is no message: "kept", or "left out: why". */
function readFates(name: string): [kind: string, fate: string][] {
  const page = readFileSync(new URL(`${name}.md`, pages), 'utf8')
  const [, table = ''] = page.split('| not a message | in a compressed copy |\n|---|---|\n')
  const rows = table.split('\n\n', 1)[0]?.trim().split('\n') ?? []
  return rows.map((row) => {
    const [, kind = '', fate = ''] = row.split(' | ').join('|').split('|')
    return [kind.trim(), fate.trim()]
  })
}

describe.each(sessions)('a changed copy of $name', (format) => {
  const { document = '', marks = {} } = copySamples[format.name] ?? {}
  const conversation = format.parse(document)
  const find = (words: string) =>
    conversation.messages.findIndex((message) => readText(message).includes(words))
  const edited = apply(conversation, [
    {
      type: 'replace',
      start: find('forget this'),
      end: find('keep this'),
      messages: [createSummaryMessage('what was forgotten')],
    },
  ])
  const output = readOutput(format.serialize(edited, createNewSession(format)))

  test.each(readFates(format.name))('"%s" is %s', (kind, fate) => {
    expect(fate).toMatch(/^(?:kept|left out)/)
    expect(marks[kind]).not.toHaveLength(0)
    for (const mark of marks[kind] ?? []) {
      expect(document).toContain(mark)
      expect(output.includes(mark), mark).toBe(fate.startsWith('kept'))
    }
  })

  test('has a sample of every kind, and of no other', () => {
    expect(Object.keys(marks)).toEqual(readFates(format.name).map(([kind]) => kind))
  })

  test('has nothing that names what is gone, and is read as what was written', () => {
    expect(output).not.toContain('dangling')
    const again = format.parse(output)
    expect(again.messages.map(readText)).toEqual(edited.messages.map(readText))
  })

  test('loses nothing of it when nothing is changed', () => {
    const clone = readOutput(format.serialize(conversation, createNewSession(format)))
    for (const [kind, fate] of readFates(format.name))
      if (fate.startsWith('kept'))
        for (const mark of marks[kind] ?? []) expect(clone).toContain(mark)
  })
})
