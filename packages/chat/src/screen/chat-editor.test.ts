import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProcessTerminal, TUI } from '@mariozechner/pi-tui'
import pc from 'picocolors'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestPalette } from '../ports.suite.ts'
import { ChatEditor, Completion, cleanPaste } from './chat-editor.ts'

const palette = createTestPalette(pc.createColors(false))
const folder = mkdtempSync(join(tmpdir(), 'precis-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const completion = new Completion(folder, ({ name }) =>
  name === 'model' ? ['fake/large', 'fake/large-2', 'fake/small'] : ['50%', '60%'],
)
const { signal } = new AbortController()
const ENTER = '\r'
const DOWN = '\u001b[B'

async function complete(line: string, force = false): Promise<string[]> {
  const found = await completion.getSuggestions([line], 0, line.length, { signal, force })
  return found?.items.map(({ label }) => label) ?? []
}

describe('completion', () => {
  test('offers commands by any of their letters', async () => {
    expect(await complete('/')).toContain('compress')
    expect(await complete('/cpr')).toEqual(['compress'])
  })

  test('offers models whose names are longer than what is there', async () => {
    expect(await complete('/model fake/')).toEqual(['fake/large', 'fake/large-2', 'fake/small'])
    expect(await complete('/model fake/small')).toEqual([])
    expect(await complete('/model fake/large')).toEqual(['fake/large-2'])
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

describe('Enter', () => {
  async function press(line: string, ...keys: readonly string[]) {
    const tui = new TUI(new ProcessTerminal())
    const editor = new ChatEditor(tui, palette)
    const sent: string[] = []
    editor.onSubmit = (text) => sent.push(text)
    editor.setAutocompleteProvider(completion)
    for (const letter of line) editor.handleInput(letter)
    await expect.poll(() => editor.isShowingAutocomplete()).toBe(true)
    for (const key of keys) editor.handleInput(key)
    return { sent, text: editor.getText() }
  }

  test('sends an argument as it was typed, though longer ones are offered', async () => {
    for (const line of ['/model fake/large', '/model fake/la', '/summarizer 5', '/threshold '])
      expect(await press(line, ENTER)).toEqual({ sent: [line.trim()], text: '' })
  })

  test('takes what was chosen with the arrows', async () => {
    expect(await press('/model fake/', DOWN, ENTER)).toEqual({
      sent: [],
      text: '/model fake/large-2',
    })
  })

  test('sends the command that is offered for its first letters', async () => {
    expect(await press('/compr', ENTER)).toEqual({ sent: ['/compress'], text: '' })
  })
})

describe('a paste', () => {
  test('loses what is not seen, and keeps lines and tabs', () => {
    const text = 'a\tb\r\nc\u001b[31m\u0000\u009b\u202ed'
    expect(cleanPaste(`\u001b[200~${text}\u001b[201~`)).toBe('\u001b[200~a\tb\r\nc[31md\u001b[201~')
    expect(cleanPaste('\u001b[A')).toBe('\u001b[A')
  })
})
