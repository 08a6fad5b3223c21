import pc from 'picocolors'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { createTestPalette } from '../ports.suite.ts'
import { createQuestion } from './panels.ts'

const palette = createTestPalette(pc.createColors(false))
const KEYS = { down: '\u001b[B', up: '\u001b[A', pageDown: '\u001b[6~' }

function ask(detail: string, rows = 24) {
  const answers: boolean[] = []
  const asked = { title: 'Switch the model?', what: 'fake/small', detail, default: false }
  const question = createQuestion(
    asked,
    palette,
    () => rows,
    (isYes) => answers.push(isYes),
  )
  return {
    answers,
    press: (key: string) => question.handleInput?.(key),
    render: () => question.render(80),
  }
}

describe('a question about more than a screen', () => {
  const detail = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')

  test('says how much there is, and shows the rest with the arrows', () => {
    const { press, render } = ask(detail)
    expect(render()).toContain('  │ line 13')
    expect(render()).toContain('  │ 1 to 14 of 40 lines · ↑↓ shows the rest')
    press(KEYS.down)
    expect(render()).toContain('  │ line 14')
    for (let times = 0; times < 5; times++) press(KEYS.pageDown)
    expect(render()).toContain('  │ line 39')
    expect(render()).toContain('  │ 27 to 40 of 40 lines · ↑↓ shows the rest')
    press(KEYS.up)
    expect(render()).not.toContain('  │ line 39')
  })

  test('never outgrows the terminal, however long one of its lines is', () => {
    for (const rows of [15, 24, 60]) {
      const lines = ask('z'.repeat(200_000), rows).render()
      expect(lines.length).toBeLessThanOrEqual(Math.min(rows - 2, 24))
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80)
    }
  })

  test('is answered by none of the keys that move it', () => {
    const { press, answers } = ask(detail)
    for (const key of [...Object.values(KEYS), ' ', 'x']) press(key)
    expect(answers).toEqual([])
    press('\r')
    expect(answers).toEqual([false])
  })
})
