import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../packages/precis/src/cli/program.ts'
import { createTerminal } from '../packages/precis/src/terminal/terminal.ts'
import { renderPlugins } from '../scripts/build-plugins.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the plugins', () => {
  test.each([...renderPlugins()])('are what npx tsx scripts/build-plugins.ts writes: %s', (path, text) => {
    expect(read(path)).toBe(text)
  })

  test('name only commands and options that there are', async () => {
    const program = await createProgram(createTerminal({ NO_COLOR: '1' }), '0')
    const lines = [...read('plugins/skill.md').matchAll(/`precis ([a-z]+) ([^`]*)`/g)]
    expect(lines.length).toBeGreaterThan(3)
    for (const [, name, words = ''] of lines) {
      const command = program.commands.find((known) => known.name() === name)
      const known = command?.options.map(({ long }) => long)
      for (const [option] of words.matchAll(/--[a-z-]+/g)) expect(known, `${name} ${option}`).toContain(option)
    }
  })
})
