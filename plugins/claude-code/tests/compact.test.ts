import { expect, test } from 'claude-code/testing'

const typed = (text, handle) => ({ role: 'user', text, toolUses: [], handle })
const answer = (text) => ({ role: 'assistant', text, toolUses: [] })
const call = (id) => ({
  role: 'assistant',
  text: '',
  toolUses: [{ tool_use_id: id, tool: 'Bash', input: { command: `ls ${id}` } }],
})
const result = (id) => ({
  role: 'user',
  text: '',
  toolUses: [],
  toolResults: [{ tool_use_id: id, text: `src/${id}.ts is fine\n`.repeat(150), isError: false }],
})
const turns = (count) =>
  [...Array(count).keys()].flatMap((index) => [
    typed(`Request ${index}: never rename m${index}.`, `h${index}`),
    call(`a${index}`),
    call(`b${index}`),
    result(`b${index}`),
    result(`a${index}`),
    answer(`Module m${index} is done.`),
  ])

// What the agent is to the module. A call of `$` is answered { value }.
const USAGE = { context: { breakdown: { model: 'claude-opus-4-5', rawMaxTokens: 200000 } } }
const stub = (on, usage = USAGE) => {
  const asked = []
  on('session.usage', () => ({ value: usage }))
  on('session.cwd', () => ({ value: '/project' }))
  on('session.id', () => ({ value: 'id' }))
  on('process.run', (_, e) => {
    asked.push(e)
    throw new Error('ENOENT')
  })
  on('ui.log', () => ({ value: undefined }))
  on('session.compact', () => ({ messages: [answer('the agent itself')] }))
  return asked
}

for (const trigger of ['manual', 'auto', 'plugin', 'precompute']) {
  test(`a compaction (${trigger}) is answered without a model, in rows that stand`, async ($, on) => {
    stub(on)
    const { messages } = await $.session.compact({ trigger, messages: turns(30) })
    expect(messages[0].role).toBe('user')
    expect(messages[0].text.startsWith('<conversation-summary by="precis"')).toBe(true)
    for (let index = 0; index < 30; index++)
      expect(JSON.stringify(messages)).toContain(`Request ${index}: never rename m${index}.`)
    for (const row of messages) if (row.handle) expect(row.toolUses.length + row.role).toBe('0user')
    expect(JSON.stringify(messages).length < JSON.stringify(turns(30)).length / 4).toBe(true)
  })
}

test('a sub-agent gets its own messages back, and the session is not kept for it', async ($, on) => {
  const asked = stub(on)
  const { messages } = await $.session.compact({ trigger: 'auto', agentId: 'x', messages: turns(30) })
  expect(messages[0].text).toContain('conversation-summary')
  expect(asked.length).toBe(0)
})

test('a short conversation stays as it is by hand, and is the business of the agent otherwise', async ($, on) => {
  stub(on)
  const messages = [typed('Hello.', 'h'), answer('Hi.')]
  expect((await $.session.compact({ trigger: 'manual', messages })).skip).toContain('already short')
  const auto = await $.session.compact({ trigger: 'auto', messages })
  expect(auto.messages[0].text).toBe('the agent itself')
})

test('what the module does not expect is the business of the agent', async ($, on) => {
  stub(on, {})
  const { messages } = await $.session.compact({ trigger: 'manual', messages: turns(30) })
  expect(messages[0].text).toBe('the agent itself')
})
