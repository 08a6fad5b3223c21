/** A changed copy of a session keeps and leaves out records as the page of its format says. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { apply } from '../../conversation/apply.ts'
import { type Message, readText, renderPart } from '../../conversation/message.ts'
import { createSummaryMessage, isSummary } from '../../conversation/summary-message.ts'
import type { Format, FormatOutput } from './format.ts'
import { createNewSession } from './new-session.suite.ts'

export interface CopySample {
  /**
   * A session whose first request is "forget this" and whose second is "keep this". A record with
   * the word "dangling" names something of the first request, or is next to it.
   */
  readonly document: string
  /** By the first cell of a row of the page: a text that only such records contain. */
  readonly marks: Readonly<Record<string, readonly string[]>>
}

export function testChangedCopy(
  format: Format,
  { document, marks }: CopySample,
  readOutput: (output: FormatOutput) => string,
): void {
  describe(`a changed copy of ${format.name}`, () => {
    const fates = readFates(format.name)
    const conversation = format.parse(document)
    const find = (words: string) =>
      conversation.messages.findIndex((message) => readText(message).includes(words))
    const messages = [createSummaryMessage('what was forgotten')]
    const edited = apply(conversation, [
      { type: 'replace', start: find('forget this'), end: find('keep this'), messages },
    ])
    const output = readOutput(format.serialize(edited, createNewSession(format)))
    const clone = readOutput(format.serialize(conversation, createNewSession(format)))

    test.each(fates)('"%s" is %s', (kind, fate) => {
      expect(fate).toMatch(/^(?:kept|left out)/)
      const isKept = fate.startsWith('kept')
      for (const mark of marks[kind] ?? []) {
        expect(document).toContain(mark)
        expect(output.includes(mark), mark).toBe(isKept)
        if (isKept) expect(clone).toContain(mark)
      }
    })

    test('has a sample of every kind, and of no other', () => {
      expect(Object.keys(marks)).toEqual(fates.map(([kind]) => kind))
      expect(Object.values(marks)).not.toContainEqual([])
    })

    test('has nothing that names what is gone, and is read as what was written', () => {
      expect(document).toContain('dangling')
      expect(output).not.toContain('dangling')
      const again = format.parse(output).messages
      const describeParts = ({ parts }: Message) => parts.map(renderPart)
      expect(again.map(describeParts)).toEqual(edited.messages.map(describeParts))
      expect(again.filter(isSummary)).toHaveLength(1)
    })
  })
}

const pages = new URL('../../../../../docs/formats/', import.meta.url)

/** The fate of each kind of record that is not a message: "kept", or "left out: why". */
function readFates(name: string): [kind: string, fate: string][] {
  const page = readFileSync(new URL(`${name}.md`, pages), 'utf8')
  const [, table = ''] = page.split('| not a message | in a compressed copy |\n|---|---|\n')
  const rows = table.split('\n\n', 1)[0]?.trim().split('\n') ?? []
  return rows.map((row) => {
    const [, kind = '', fate = ''] = row.split('|')
    return [kind.trim(), fate.trim()]
  })
}
