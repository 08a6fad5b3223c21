import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Completion, cleanPaste } from './chat-editor.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const completion = new Completion(folder, ({ name }) =>
  name === 'model'
    ? ['fake/large', 'fake/large-2', 'fake/small', 'openai/gpt-5.6-terra']
    : ['50%', '60%'],
)
const { signal } = new AbortController()

async function complete(line: string, force = false): Promise<string[]> {
  const found = await completion.getSuggestions([line], 0, line.length, { signal, force })
  return found?.items.map(({ label }) => label) ?? []
}

describe('completion', () => {
  test('offers commands by any of their letters', async () => {
    expect(await complete('/')).toContain('compress')
    expect(await complete('/cpr')).toEqual(['compress'])
  })

  test('offers models until the name is there in full', async () => {
    expect(await complete('/model fake/')).toEqual(['fake/large', 'fake/large-2', 'fake/small'])
    expect(await complete('/model fake/small')).toEqual([])
    expect(await complete('/model fake/large')).toEqual([])
  })

  test('takes the name of a model that is not in the list, and begins one that is', async () => {
    expect(await complete('/model openai/gpt-')).toEqual(['openai/gpt-5.6-terra'])
    expect(await complete('/model openai/gpt-5')).toEqual([])
    expect(await complete('/model openai/gpt-5.6-t')).toEqual(['openai/gpt-5.6-terra'])
  })

  test('offers no longer command where one is there in full, by whichever of its names', async () => {
    expect(await complete('/summariz')).toContain('summarizer')
    expect(await complete('/summarize')).toEqual([])
    expect(await complete('/summarizer')).toEqual(['summarizer'])
    expect(await complete('/model')).toEqual(['model'])
  })

  test('offers what a setting may be', async () => {
    expect(await complete('/threshold ')).toEqual(['50%', '60%'])
    expect(await complete('/keep 5')).toEqual(['50%'])
    expect(await complete('/undo 5')).toEqual([])
  })

  test('offers no file whose name acts on the terminal', async () => {
    writeFileSync(join(folder, 'notes.txt'), '')
    writeFileSync(join(folder, 'no\u001b[2Jevil.txt'), '')
    writeFileSync(join(folder, 'no\u202eevil.txt'), '')
    expect(await complete('see no', true)).toEqual(['notes.txt'])
  })
})

describe('a paste', () => {
  test('loses what is not seen, and keeps lines and tabs', () => {
    const text = 'a\tb\r\nc\u001b[31m\u0000\u009b\u202ed'
    expect(cleanPaste(`\u001b[200~${text}\u001b[201~`)).toBe('\u001b[200~a\tb\r\nc[31md\u001b[201~')
    expect(cleanPaste('\u001b[A')).toBe('\u001b[A')
  })
})
