import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

async function compressed() {
  const home = createHome()
  const text = createClaudeSession({ sessionId: createUuid(7), turns: 30 })
  writeFixture(
    join(home, 'a.jsonl'),
    text.replace('number 3, please.', 'number 3, please. \\u001b[2J'),
  )
  await runPrecis(home, ['compress', 'a.jsonl', '--strategy', 'tail-summary', '--out', 'b.jsonl'])
  return home
}

describe('precis diff', () => {
  test('shows what went, what came and what stayed', async () => {
    const home = await compressed()
    const { stdout } = await runPrecis(home, ['diff', 'b.jsonl', '--json'])
    const { kept, removed, added, messages } = JSON.parse(stdout)
    expect(kept).toBeGreaterThan(0)
    expect(removed).toBeGreaterThan(10)
    // The summary, and one message of the agent between two of the user.
    expect(added).toBe(2)
    expect(messages).toHaveLength(kept + removed + added)
    const texts = messages.flatMap(({ type, text }: { type: string; text: string }) =>
      type === 'added' ? [text] : [],
    )
    expect(texts.join('\n')).toContain('cart')
    const shown = (await runPrecis(home, ['diff', 'b.jsonl'])).stdout
    expect(shown).toContain('-   Now the next one, number 3, please.')
    expect(shown).toContain('more lines')
    expect(shown).not.toContain('\u{1b}')
    expect((await runPrecis(home, ['diff', 'b.jsonl', '--full'])).stdout).toContain('price4_39')
  })

  test('shows of a shortened message only what is gone, and counts it as changed', async () => {
    const home = createHome()
    const text = createClaudeSession({ sessionId: createUuid(7), turns: 6 })
    const line = '{"type":"text","text":"Reading it."}'
    writeFixture(
      join(home, 'a.jsonl'),
      text.replaceAll('"content":[{"type":"tool_use"', `"content":[${line},{"type":"tool_use"`),
    )
    const clone = ['clone', 'a.jsonl', '--tools', 'truncate:100', '--out', 'b.jsonl']
    expect((await runPrecis(home, clone)).code).toBe(0)
    const { stdout } = await runPrecis(home, ['diff', 'b.jsonl'])
    expect(stdout).toMatch(/^\d+ messages kept, [1-9]\d* changed, 0 removed, 0 new$/m)
    expect(stdout).toMatch(/^~ tool\n(?:- .*\n)+(?:\+ .*\n)* {4}\d+ lines? kept$/m)
    expect(stdout).not.toMatch(/^[-+] (?:tool|assistant)$/m)
  })

  test('reads the original from the archive, and the result as it is now', {
    tags: 'slow',
  }, async () => {
    const home = await compressed()
    rmSync(join(home, 'a.jsonl'))
    expect((await runPrecis(home, ['diff', 'b.jsonl'])).code).toBe(0)
    rmSync(join(home, 'b.jsonl'))
    const { code, stdout, stderr } = await runPrecis(home, ['diff', 'b.jsonl'])
    expect(code).toBe(0)
    expect(stdout).toContain('records:')
    expect(stderr).toMatch(/^precis: no messages to compare\..*b\.jsonl/)
    const page = await runPrecis(home, ['diff', 'b.jsonl', '--html', 'page.html'])
    expect(page.code).toBe(4)
  })

  test('of a result that went to standard output says where the original is', {
    tags: 'slow',
  }, async () => {
    const home = createHome()
    const content = 'walrus '.repeat(3000)
    const messages = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 ? 'assistant' : 'user',
      content,
    }))
    const { stderr, code } = await runPrecis(home, ['compress', '-'], {
      stdin: JSON.stringify(messages),
    })
    expect(code, stderr).toBe(0)
    const [, name = ''] = /precis restore ([0-9a-f]{10})/.exec(stderr) ?? []
    const shown = await runPrecis(home, ['diff', name])
    expect(shown.stdout).toContain('records:')
    expect(shown.stderr).toContain(`precis restore ${name}`)
    expect((await runPrecis(home, ['restore', name])).stdout).toBe(JSON.stringify(messages))
  })

  test('writes a page whose commands give back what it shows as gone', {
    tags: 'slow',
  }, async () => {
    const home = await compressed()
    const { code, stdout, stderr } = await runPrecis(home, [
      'diff',
      'b.jsonl',
      '--html',
      'page.html',
    ])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'page.html\n', stderr: '' })
    const html = readFileSync(join(home, 'page.html'), 'utf8')
    const gone =
      html
        .split('<li>')
        .find((item) => item.includes('summarized') && item.includes('<pre>Now the next')) ?? ''
    const [, command = ''] = /precis (restore [0-9a-f]{10,12} \d{1,4})<\/code>/.exec(gone) ?? []
    const [, words = ''] = /<pre>([^<&]{1,40})/.exec(gone) ?? []
    expect(words.length).toBeGreaterThan(10)
    const restored = await runPrecis(home, command.split(' '))
    expect(restored.stdout).toContain(words)
    // The summary, with the tags around it in the session removed.
    expect(html).toContain('class="whole"')
    expect(html).not.toContain('conversation-summary')
    const over = await runPrecis(home, ['diff', 'b.jsonl', '--html', 'b.jsonl'])
    expect(over.code).toBe(2)
  })

  test('is what "explain" does, which says so', { tags: 'slow' }, async () => {
    const home = await compressed()
    const old = await runPrecis(home, ['explain', 'b.jsonl'])
    expect(old.stderr).toBe(
      'precis: "precis explain" is "precis diff" now. The old name will be removed in the next version.\n',
    )
    expect(old.stdout).toBe((await runPrecis(home, ['diff', 'b.jsonl'])).stdout)
  })
})
