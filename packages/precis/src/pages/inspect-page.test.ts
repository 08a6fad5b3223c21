import { describe, expect, test } from 'vitest'
import { renderCount, renderShare } from '../terminal/render.ts'
import { renderInspectionPage } from './inspect-page.ts'
import { createSession, type Exchange, inspectText } from './session-page.suite.ts'

const exchanges: Exchange[] = Array.from({ length: 12 }, (_, turn) => ({
  request: `Please look at file ${turn % 3}`,
  tool: turn % 2 === 0 ? 'Read' : 'Edit',
  input: { file_path: `/work/shop/${turn % 3}.ts`, old_string: 'a', new_string: 'b' },
  output: `export const answer${turn} = 42\n`.repeat(10 + turn * 5),
  answer: `It is fine, ${turn}.`,
}))

const page = await inspectText(createSession(exchanges))
const html = renderInspectionPage(page)

/** A page is too long for a message. */
function expectPart(whole: string, part: string): void {
  expect([part, whole.includes(part)]).toEqual([part, true])
}

describe('the page of a session', () => {
  test('has the numbers of `inspect --json`', () => {
    const { tokens, byTool, byFile, byTurn, largest, staleReads, messages } = page.inspection
    expectPart(html, `<strong>${renderCount(tokens.total)}</strong>`)
    expectPart(html, `${renderCount(messages)} messages`)
    for (const kind of ['user', 'assistant', 'toolCalls', 'toolResults'] as const) {
      expectPart(html, `<b>${renderCount(tokens[kind])}</b>`)
    }
    const turns = [...html.matchAll(/<span class="size"><b>([0-9,]{1,20})<\/b>/g)].map(
      ([, count]) => count,
    )
    expect(turns).toEqual(byTurn.map((turn) => renderCount(turn.tokens)))
    const [, fattest = ''] = html.split('<ol class="items fattest">')
    const items = [
      ...(fattest.split('</ol>')[0] ?? '').matchAll(/<span class="tokens">([0-9,]{1,20})</g),
    ].map(([, count]) => count)
    expect(items).toEqual(largest.map((part) => renderCount(part.tokens)))
    for (const { tool, calls, tokens: count } of byTool) {
      expectPart(
        html,
        `<bdi>${tool}</bdi></th><td data-title="tokens">${renderCount(count)}</td><td data-title="share">${renderShare(count, tokens.total)}</td><td data-title="calls">${calls}</td>`,
      )
    }
    for (const file of byFile)
      expectPart(html, `<td data-title="tokens">${renderCount(file.tokens)}</td>`)
    expect(staleReads.count).toBeGreaterThan(0)
    expectPart(
      html,
      `${renderCount(staleReads.count)} stale reads with ${renderCount(staleReads.tokens)} tokens`,
    )
    expectPart(html, `$${page.usage?.cost?.toFixed(2)}`)
  })

  test('a command that failed by its exit code has the mark of an error', async () => {
    const calls = ['npm test', 'grep TODO a.ts'].map((command, place) => ({
      id: `c${place}`,
      type: 'function',
      function: { name: 'bash', arguments: JSON.stringify({ command }) },
    }))
    const messages = [
      { role: 'user', content: 'Test it' },
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Exit code: 1' })),
    ]
    const made = renderInspectionPage(
      await inspectText(JSON.stringify({ model: 'gpt-5', messages })),
    )
    const [, fattest = ''] = made.split('<ol class="items fattest">')
    const [largest = ''] = fattest.split('</ol>')
    expect(largest.match(/<span class="badge">error<\/span>/g)).toHaveLength(1)
  })

  test('the picture of the context includes the schemas of tools', async () => {
    const schema = { name: 'read', description: 'Reads a file. '.repeat(40) }
    const request = {
      model: 'gpt-5',
      tools: [{ type: 'function', function: schema }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
    }
    const shown = await inspectText(JSON.stringify(request))
    const { tokens, byTurn } = shown.inspection
    expect(tokens.total).toBeGreaterThan((byTurn[0]?.tokens ?? 0) + 100)
    expectPart(renderInspectionPage(shown), `tokens, ${renderCount(tokens.total)} with it.`)
  })

  test('leads only to places that are on it, each once', () => {
    const ids = [...html.matchAll(/ id="([^"]{1,40})"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...html.matchAll(/ href="#([^"]{1,40})"/g)].map(([, target]) => target)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
    expect(targets.length).toBeGreaterThan(40)
  })

  test('has a heading for each section, and a scope for each heading of a table', () => {
    expect(html.match(/<h1>/g)).toHaveLength(1)
    expect(html.match(/<section /g)?.length).toBe(html.match(/<h2 /g)?.length)
    for (const head of html.match(/<th(?: [^>]{0,60})?>/g) ?? []) expect(head).toContain('scope=')
  })

  test('of a session without anything has nothing to show, and says so', async () => {
    const empty = renderInspectionPage(
      await inspectText(
        createSession([]) + createSession([{ request: 'Hi', answer: 'Hello' }]).split('\n')[0],
      ),
    )
    expect(empty).toContain('<strong>1</strong> turn')
    expect(empty).not.toMatch(/NaN|undefined|Infinity/)
    expect(empty).not.toContain('id="files"')
  })
})

test('a page of ten thousand messages stays under three megabytes, and tells what it leaves out', {
  tags: 'slow',
}, async () => {
  const many = Array.from({ length: 2500 }, (_, turn) => ({
    request: `Request ${turn} "with quotes"`,
    output: '"<&>"\n'.repeat(3 + (turn % 50)),
    answer: `Answer ${turn} `.repeat(20),
  }))
  const large = renderInspectionPage(await inspectText(createSession(many)))
  expect(Buffer.byteLength(large)).toBeLessThan(3_000_000)
  expect(large).toMatch(/smaller turns, [0-9,]{1,20} tokens, not shown/)
})
