/** The module as Claude Code calls it, with what every host can rely on. */
import { readRows, type SessionRow } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { testHost, WINDOW_TOKENS } from '../../../../../core/src/hosts/host.suite.ts'
import { load, USAGE } from './mod.suite.ts'

/** The agent hands over a row for each block, and each has a handle. */
const hand = (rows: readonly SessionRow[]): SessionRow[] =>
  rows.flatMap(splitRow).map((row, index) => ({ ...row, handle: `record ${index}` }))

function splitRow(row: SessionRow): SessionRow[] {
  const { role, text, toolUses, toolResults = [] } = row
  if (toolUses.length + toolResults.length === 0) return [row]
  return [
    ...(text === '' ? [] : [{ role, text, toolUses: [] }]),
    ...toolUses.map((use) => ({ role, text: '', toolUses: [use] })),
    ...toolResults.map((result) => ({ role, text: '', toolUses: [], toolResults: [result] })),
  ]
}

const usage = () => {
  const { breakdown } = USAGE.context
  return { context: { breakdown: { ...breakdown, rawMaxTokens: WINDOW_TOKENS } } }
}

/** Undefined if the module calls the agent's own way. */
async function compactBy(
  { send }: Pick<ReturnType<typeof load>, 'send'>,
  rows: readonly SessionRow[],
  event: object = {},
): Promise<readonly SessionRow[] | undefined> {
  const messages = hand(rows)
  let isOwn = false
  const own = async () => {
    isOwn = true
    return {}
  }
  const answer = await send('session.compact', { trigger: 'auto', messages, ...event }, own)
  if (isOwn) return undefined
  // What goes back with its handle is the agent's own message. Everything else is built.
  return (answer.messages as unknown as readonly SessionRow[]).map((row) => {
    if (row.handle === undefined) return row
    expect(row).toEqual(messages.find(({ handle }) => handle === row.handle))
    return row
  })
}

describe('Claude Code with the module', () => {
  const agent = load({ usage })
  testHost<SessionRow>({
    user: (text) => ({ role: 'user', text, toolUses: [] }),
    answer: (text) => ({ role: 'assistant', text, toolUses: [] }),
    call: (id) => ({
      role: 'assistant',
      text: '',
      toolUses: [{ tool_use_id: id, tool: 'Bash', input: { command: 'ls' } }],
    }),
    result: (id, text) => ({
      role: 'user',
      text: '',
      toolUses: [],
      toolResults: [{ tool_use_id: id, text, isError: false }],
    }),
    compact: (rows) => compactBy(agent, rows),
    compactSubAgent: (rows) => compactBy(agent, rows, { agentId: 'sub-agent' }),
    read: (rows) => readRows(rows).conversation,
    compactWithFault: (rows) => {
      const fault = () => {
        throw new Error('no usage')
      }
      return compactBy(load({ usage: fault }), rows)
    },
  })

  const work = [...Array(30).keys()].flatMap((index): SessionRow[] => [
    { role: 'user', text: `Request ${index}.`, toolUses: [] },
    { role: 'assistant', text: 'The log is long. '.repeat(100), toolUses: [] },
  ])

  test('a compaction of a sub-agent tells and stores nothing for the main conversation', async () => {
    const { send, lines, stored } = load({ usage })
    await compactBy({ send }, work, { agentId: 'sub-agent' })
    await send('classic.PostCompact', { agent_id: 'sub-agent' })
    expect([...lines, ...stored.keys()]).toEqual([])
  })

  test('a compaction ahead of time is told and stored only when the agent uses it', async () => {
    const { send, lines, stored } = load({ usage })
    expect(await compactBy({ send }, work, { trigger: 'precompute' })).toBeDefined()
    expect([...lines, ...stored.keys()]).toEqual([])
    await send('classic.PostCompact', {})
    expect(lines.join('\n')).toContain('no model asked')
    expect(stored.size).toBe(1)
  })

  test('a later compaction replaces one ahead of time', async () => {
    const { send, lines } = load({ usage })
    await compactBy({ send }, work, { trigger: 'precompute' })
    await compactBy({ send }, work)
    await send('classic.PostCompact', {})
    await send('classic.PostCompact', {})
    expect(lines).toHaveLength(1)
  })

  test('what cannot get shorter is not given to the model ahead of time', async () => {
    const { send, lines } = load({ usage })
    const event = { trigger: 'precompute', messages: hand(work.slice(0, 1)) }
    const own = async () => {
      throw new Error('the agent asked its model')
    }
    expect(await send('session.compact', event, own)).toMatchObject({ skip: expect.any(String) })
    expect(lines).toEqual([])
  })

  test('with the model of the agent, nothing is computed ahead of time', async () => {
    const { send } = load({ usage }, { mode: 'verify' })
    const event = { trigger: 'precompute', messages: hand(work) }
    expect(await send('session.compact', event)).toMatchObject({ skip: expect.any(String) })
  })
})
