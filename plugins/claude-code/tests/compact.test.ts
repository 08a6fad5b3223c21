import { expect, test } from 'claude-code/testing'

// Each test loads the module again, which takes seconds on a busy machine.
const PATIENT = { timeoutMs: 60_000 }

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
  toolResults: [{ tool_use_id: id, text: `src/${id}.ts is fine\n`.repeat(80), isError: false }],
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
const ORIGINAL = '00000000-0000-4000-8000-000000000000'
const PATH = '/home/.claude/projects/-project/id.jsonl'
const stub = (
  on,
  { own = 'the agent itself', usage = USAGE, surfaces = [], files = {}, run = missing } = {},
) => {
  const asked = []
  const lines = []
  const told = []
  const store = {}
  const bytes = (path) => {
    if (files[path] === undefined) throw new Error(`${path}: ENOENT`)
    return new TextEncoder().encode(files[path])
  }
  on('session.usage', () => ({ value: usage }))
  on('session.cwd', () => ({ value: '/project' }))
  on('session.id', () => ({ value: ORIGINAL }))
  on('session.info', () => ({ value: { transcriptPath: PATH } }))
  on('session.surfaces', () => ({ value: surfaces }))
  on('process.run', (_, e) => {
    asked.push(e.argv.join(' '))
    return { value: run() }
  })
  on('fs.stat', (_, { path }) => ({
    value: { kind: 'file', size: bytes(path).length, mtimeMs: 0, isLink: false },
  }))
  on('fs.read', (_, { path, offset, length }) => {
    const base64 = btoa(String.fromCharCode(...bytes(path).slice(offset, offset + length)))
    return { value: { base64 } }
  })
  on('fs.write', (_, { path, text }) => {
    files[path] = text
    return { value: undefined }
  })
  on('store.get', (_, { key }) => ({ value: store[key] }))
  on('store.set', (_, { key, value }) => {
    store[key] = value
    return { value: undefined }
  })
  on('store.keys', () => ({ value: Object.keys(store) }))
  on('store.delete', (_, { key }) => ({ value: delete store[key] }))
  on('clock.now', () => ({ value: 0 }))
  on('ui.open', () => ({ value: { isPlaced: true } }))
  on('ui.log', (_, { text }) => {
    lines.push(text)
    return { value: undefined }
  })
  on('session.compact', (_, { instructions }) => {
    told.push(instructions)
    return { messages: [typed(own, 'own')] }
  })
  return { asked, lines, files, told }
}
const missing = () => {
  throw new Error('$.process.run(precis) failed to start: ENOENT')
}
const chooses = (on, label) =>
  on('tool.call', { tool: 'AskUserQuestion' }, (_, { questions }) => ({
    result: { questions, answers: { [questions[0].question]: label } },
  }))

for (const trigger of ['manual', 'auto', 'plugin', 'precompute']) {
  test(`a compaction (${trigger}) is answered without a model, in rows that stand`, PATIENT, async ($, on) => {
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

test('a sub-agent gets its own messages back, and the session is not kept for it', PATIENT, async ($, on) => {
  const { asked } = stub(on)
  const { messages } = await $.session.compact({
    trigger: 'auto',
    agentId: 'x',
    messages: turns(30),
  })
  expect(messages[0].text).toContain('conversation-summary')
  expect(asked.length).toBe(0)
})

test('a short conversation stays as it is by hand, and is the business of the agent otherwise', PATIENT, async ($, on) => {
  stub(on)
  const messages = [typed('Hello.', 'h'), answer('Hi.')]
  expect((await $.session.compact({ trigger: 'manual', messages })).skip).toContain('already short')
  const auto = await $.session.compact({ trigger: 'auto', messages })
  expect(auto.messages[0].text).toBe('the agent itself')
})

test('what the module does not expect is the business of the agent', PATIENT, async ($, on) => {
  stub(on, { usage: {} })
  const { messages } = await $.session.compact({ trigger: 'manual', messages: turns(30) })
  expect(messages[0].text).toBe('the agent itself')
})

test('the user is shown a compaction that they ask for, and decides', PATIENT, async ($, on) => {
  stub(on, { surfaces: ['terminal'] })
  chooses(on, 'Leave it as it is')
  const manual = await $.session.compact({ trigger: 'manual', messages: turns(30) })
  expect(manual.skip).toContain('you left the conversation')
  const auto = await $.session.compact({ trigger: 'auto', messages: turns(30) })
  expect(auto.messages[0].text).toContain('conversation-summary')
})

test('the user may leave the compaction to the agent', PATIENT, async ($, on) => {
  const { asked } = stub(on, { surfaces: ['desktop'] })
  chooses(on, 'Let Claude Code summarize it')
  const { messages } = await $.session.compact({ trigger: 'manual', messages: turns(30) })
  expect(messages[0].text).toBe('the agent itself')
  // Its own hook keeps the session then.
  expect(asked).toEqual([])
})

test('no question, if the user wants none', { ...PATIENT, options: { preview: false } }, async ($, on) => {
  stub(on, { surfaces: ['terminal'] })
  const { messages } = await $.session.compact({ trigger: 'manual', messages: turns(30) })
  expect(messages[0].text).toContain('conversation-summary')
})

test('the archive keeps the session once, and says why it does not', PATIENT, async ($, on) => {
  const { asked, lines } = stub(on, {
    run: () => ({ exitCode: 0, stdout: '', stderr: 'precis: the archive is full\n' }),
  })
  await $.session.compact({ trigger: 'auto', messages: turns(30) })
  expect(asked).toEqual(['precis hook claude-code --verbose'])
  expect(lines.join()).toContain('the archive is full')
})

// A session whose second half stands after a compaction by a mod.
const line = (entry) =>
  JSON.stringify({
    sessionId: 'id',
    version: '2.1.332',
    isSidechain: false,
    timestamp: '2026-01-01T00:00:00.000Z',
    ...entry,
  })
const before = [
  line({
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    message: { role: 'user', content: 'Never touch the falcon-service.' },
  }),
  line({
    type: 'assistant',
    uuid: 'a1',
    parentUuid: 'u1',
    message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Understood.' }] },
  }),
]
const after = (summary) => [
  line({
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b1',
    parentUuid: null,
    logicalParentUuid: 'a1',
    content: 'Conversation compacted',
  }),
  line({
    type: 'user',
    uuid: 's1',
    parentUuid: 'b1',
    rowSource: 'hook',
    message: { role: 'user', content: summary },
  }),
]
const SESSION = `${[...before, ...after('The earlier part.')].join('\n')}\n`

test('what was removed is found in the file of the session, by the model and by the user', PATIENT, async ($, on) => {
  stub(on, { files: { [PATH]: SESSION } })
  const found = await $.tool.call({ tool: 'recall_removed', query: 'falcon' })
  expect(found.result).toContain('Never touch the falcon-service.')
  const typed = await $.command.run({ command: 'precis', args: 'recall falcon' })
  expect(typed.text).toContain('Never touch the falcon-service.')
  expect(typed.isTextDisplayOnly).toBe(true)
})

test('a fork finds what was removed before it was forked', PATIENT, async ($, on) => {
  const { files } = stub(on)
  const { messages } = await $.session.compact({ trigger: 'auto', messages: turns(30) })
  const compacted = after(messages[0].text)
  files[PATH] = `${compacted.join('\n')}\n`
  files[PATH.replace('id.jsonl', `${ORIGINAL}.jsonl`)] = `${[...before, ...compacted].join('\n')}\n`
  const { result } = await $.tool.call({ tool: 'recall_removed', query: 'falcon' })
  expect(result).toContain('Never touch the falcon-service.')
  expect((await $.command.run({ command: 'precis', args: 'undo' })).text).toContain('forked')
})

test('undo writes what stood before the compaction as a new session', PATIENT, async ($, on) => {
  const { files } = stub(on, { files: { [PATH]: SESSION } })
  const { text } = await $.command.run({ command: 'precis', args: 'undo' })
  const id = text.split('--resume ')[1]
  const written = files[PATH.replace('id.jsonl', `${id}.jsonl`)]
  expect(written).toContain('falcon-service')
  expect(written.includes('compact_boundary')).toBe(false)
  expect(files[PATH]).toBe(SESSION)
})

test('a session without a file says that nothing was kept', PATIENT, async ($, on) => {
  stub(on)
  const { result } = await $.tool.call({ tool: 'recall_removed', query: 'falcon' })
  expect(result).toContain('cannot be read')
})

for (const surface of ['terminal', 'desktop', 'vscode', 'mobile']) {
  test(`the pane shows the receipt (${surface})`, PATIENT, async ($, on) => {
    stub(on, { files: { [PATH]: SESSION } })
    await $.session.compact({ trigger: 'auto', messages: turns(30) })
    expect((await $.command.run({ command: 'precis', args: '' })).text).toContain(
      '1 compaction so far',
    )
    const props = {
      title: 'precis',
      isFocused: false,
      bodyColumns: 40,
      placement: 'dock',
      scroll: { offset: 0, bodyRows: 20 },
      view: {},
    }
    const ui = await $.ui.mount({
      plugin: 'precis',
      component: 'Pane',
      requestId: 'receipt',
      surface,
      props,
    })
    expect((await ui.find({ type: 'Text', text: /no model asked/ }))?.text).toContain(
      '30 of your 30 messages',
    )
    expect((await ui.find({ type: 'Text', text: /Request 0: never rename m0/ }))?.text).toBeTruthy()
    // What is only for the model is not shown.
    expect(await ui.find({ type: 'Text', text: /conversation-summary by/ })).toBeFalsy()
    await ui.unmount()
  })
}

const VERIFY = { ...PATIENT, options: { mode: 'verify' } }

test(
  'with the model of the agent, what its summary lost is stored next to it',
  VERIFY,
  async ($, on) => {
    const { told, asked } = stub(on, { files: { [PATH]: SESSION } })
    const { messages } = await $.session.compact({
      trigger: 'auto',
      messages: turns(3),
      instructions: 'Keep the plan.',
    })
    expect(messages).toEqual([typed('the agent itself', 'own')])
    expect(told[0]).toContain('Keep the plan.')
    expect(told[0]).toContain('word for word')
    // The agent runs the hooks that keep a session itself.
    expect(asked).toEqual([])
    const { message } = await $.session.append({
      door: 'compaction',
      origin: { kind: 'engine' },
      uuid: 's1',
      message: {
        type: 'user',
        role: 'user',
        content: [{ type: 'text', text: 'the agent itself' }],
      },
    })
    expect(message.content.length).toBe(2)
    for (const words of ['Request 2: never rename m2.', 'Never touch the falcon-service.'])
      expect(message.content[1].text).toContain(words)
  },
)

test(
  'a turn that ends in a full window is compacted, and is not compacted again at once',
  { ...PATIENT, options: { compactAtPercent: 60 } },
  async ($, on) => {
    const filled = { context: { breakdown: { ...USAGE.context.breakdown, percentage: 70 } } }
    const { lines } = stub(on, { usage: filled })
    on('turn.complete', (_, { answer: text }) => ({ text }))
    const turn = { answer: 'Done.', durationMs: 1, isAborted: false, turnId: 't', reason: 'answer' }
    await $.turn.complete(turn)
    await $.turn.complete(turn)
    expect(lines.filter((text) => text.includes('fills 70%')).length).toBe(1)
  },
)
