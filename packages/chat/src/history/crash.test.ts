import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import type { ModelMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ask, type ChatFolders, createFolders, ofType } from '../chat.suite.ts'
import type { ChatAgent } from '../contract/chat-agent.ts'
import { createTestPorts } from '../ports.suite.ts'
import { renderMessage } from './chat-history.ts'
import { readChat } from './stored-chats.ts'

const { files } = createTestPorts()
let folders: ChatFolders
beforeEach(() => {
  folders = createFolders()
})
afterEach(() => folders.remove())

function findViolations(messages: readonly ModelMessage[]): unknown[] {
  return checkInvariants(formats['ai-sdk'].parse({ messages }))
}

const KILLS = Number(process.env.PRECIS_TEST_KILLS ?? 3)
const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Runs an endless chat in a separate process, which prints each message before it sends it. */
function startChatting(number: number) {
  const code = `
    const { openChat } = await import(${JSON.stringify(fileURLToPath(new URL('../agent/open-chat.ts', import.meta.url)))})
    const { createTestPorts } = await import(${JSON.stringify(fileURLToPath(new URL('../ports.suite.ts', import.meta.url)))})
    const agent = await openChat({
      isDemo: true,
      workingDirectory: ${JSON.stringify(folders.project)},
      ...(${number} > 0 && { resume: true }),
      ports: createTestPorts(undefined, { environment: {}, chatsFolder: ${JSON.stringify(folders.chats)}, wait: () => new Promise((r) => setTimeout(r, 2)) }),
    })
    const signal = new AbortController().signal
    const requests = ['explore this project', 'tell me a story', 'search for ship', 'what do you remember?']
    for (let at = 0; ; at++) {
      const text = requests[at % requests.length] + ' (message ${number}.' + at + ')'
      const events = agent.send(text, { signal })
      const first = await events.next()
      process.stdout.write(text + '\\n')
      for await (const event of events) if (event.type === 'error') process.stderr.write(event.message)
      if (at % 3 === 1) await agent.context.compress()
      if (at % 7 === 6) agent.context.undo()
      if (at % 5 === 4) agent.context.pin('pin ${number}.' + at)
    }`
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    cwd: root,
  })
}

describe('a chat that is killed', () => {
  test('goes on with every message that was sent, as often as it is killed', {
    tags: 'slow',
  }, async () => {
    const said: string[] = []
    for (let number = 0; number < KILLS; number++) {
      const child = startChatting(number)
      let errors = ''
      child.stderr.on('data', (chunk) => {
        errors += chunk
      })
      await new Promise<void>((resolve) => {
        child.on('exit', () => resolve())
        child.stdout.once('data', () =>
          setTimeout(() => child.kill('SIGKILL'), 150 + Math.random() * 700),
        )
        child.stdout.on('data', (chunk) => said.push(...String(chunk).trim().split('\n')))
      })
      expect(errors).toBe('')
      const agent = await folders.open({ resume: true })
      expect(findViolations(agent.context.messages)).toEqual([])
      const stored = readChat(agent.historyFile ?? '', files)
      const texts = stored.history.all.map(renderMessage)
      for (const text of said) expect(texts).toContain(text)
      expect(ofType(await ask(agent, `still there? (message ${number})`), 'error')).toEqual([])
      said.push(`still there? (message ${number})`)
      await agent.close()
    }
    expect(said.length).toBeGreaterThan(KILLS * 2)
  })

  test('can be cut off at any byte: what was whole is read, what was open is closed', {
    tags: 'slow',
  }, async () => {
    const agent = await folders.open()
    await ask(agent, 'explore this project')
    await ask(agent, 'tell me a story')
    agent.context.pin('never touch limits.json')
    await agent.context.compress()
    await ask(agent, 'search for createServer')
    agent.context.undo()
    await ask(agent, 'what do you remember?')
    await agent.close()
    const path = agent.historyFile ?? ''
    const whole = readFileSync(path)
    const cuts = findCuts(whole)
    expect(cuts.length).toBeGreaterThan(40)
    for (const cut of cuts) {
      writeFileSync(path, whole.subarray(0, cut))
      const again = await folders.open({ resume: path })
      expect(findViolations(again.context.messages)).toEqual([])
      expect(again.context.messages.at(-1)?.role).not.toBe(undefined)
      again.context.append({ role: 'user', content: 'and now' })
      await again.close()
      const reread = readChat(path, files)
      expect(reread.damage.cutOffBytes).toBe(0)
      expect(reread.history.all.at(-1)).toEqual({ role: 'user', content: 'and now' })
    }
  })
})

/**
 * Positions around the end of each line after the first message, and in the middle of each line.
 */
function findCuts(whole: Buffer): number[] {
  const ends = [...whole.entries()].flatMap(([at, byte]) => (byte === 0x0a ? [at + 1] : []))
  return ends.slice(1).flatMap((end, index) => {
    const next = ends[index + 2] ?? end
    return [...new Set([end, end + 1, Math.floor((end + next) / 2), next - 1])].filter(
      (cut) => cut <= whole.length,
    )
  })
}

describe('a chat whose file is damaged', () => {
  const withoutNumbers = (line: string) => line.replace(/,"number":\d+\}$/, '}')

  test.each([
    ['', (line: string) => line],
    [' by an earlier version', withoutNumbers],
  ])(
    'goes on in front of the same messages without the damaged one, in a file%s',
    { tags: 'slow' },
    async (_, write) => {
      const agent = await folders.open({ model: 'demo/large' })
      await ask(agent, 'hello')
      await ask(agent, 'read README.md')
      await ask(agent, 'tell me a story')
      await agent.context.compress()
      await ask(agent, 'read src/ships.ts')
      await agent.close()
      const path = agent.historyFile ?? ''
      const { all, current } = readChat(path, files).history
      const recorded = readFileSync(path, 'utf8').trimEnd().split('\n')
      const lines = recorded.map(write)
      const damaged = [...lines.keys()].filter((at) => lines[at]?.startsWith('{"type":"message"'))
      expect(damaged.length).toBeGreaterThan(8)
      for (const at of damaged) {
        writeFileSync(path, `${lines.with(at, `${lines[at]?.slice(0, 40)}\0\0`).join('\n')}\n`)
        const again = await folders.open({ resume: path })
        expect(again.resumed?.damage).toMatchObject({ lines: 1, lineNumbers: [at + 1] })
        const { messages } = again.context
        expect(findViolations(messages)).toEqual([])
        const { number, message } = JSON.parse(recorded[at] ?? '')
        const expected = current.flatMap((known) => (known === number ? [] : (all[known] ?? [])))
        // The other half of a call cannot stay alone: it goes too, or a note is its result.
        const isOfCall = /"tool-(?:call|result)"/.test(JSON.stringify(message))
        if (!isOfCall) expect(messages).toEqual(expected)
        const kept = messages.map(renderMessage)
        const others = expected.map(renderMessage).filter((text) => !kept.includes(text))
        expect(others.length).toBeLessThan(2)
        await again.close()
      }
    },
  )

  test('keeps the places of what stands behind a stretch of several lost lines', async () => {
    const agent = await folders.open({ model: 'demo/large' })
    for (const text of ['hello 1', 'hello 2', 'tell me a story']) await ask(agent, text)
    await agent.context.compress()
    await agent.close()
    const path = agent.historyFile ?? ''
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const [first = 0, last = 0] = ['hello 1', 'hello 2'].map((text) =>
      lines.findIndex((line) => line.includes(`"content":"${text}"`)),
    )
    const rest = [...lines.slice(0, first), '\0'.repeat(500), ...lines.slice(last + 1)]
    writeFileSync(path, `${rest.join('\n')}\n`)
    const again = await folders.open({ resume: path })
    const after = again.context.messages.map(renderMessage)
    const before = agent.context.messages.map(renderMessage)
    expect(after).toEqual(before.filter((text) => !text.startsWith('hello')))
    await again.close()
  })
})

describe('a chat that goes on', () => {
  const reopen = async (agent: ChatAgent, options = {}) => {
    await agent.close()
    return folders.open({ resume: true, ...options })
  }

  test('has no pin that ended, also where a summary carries it', { tags: 'slow' }, async () => {
    let agent = await folders.open({ model: 'demo/large' })
    agent.context.pin('the harbour opens at nine')
    agent.context.pin('the harbour closes at ten')
    const goOn = async () => {
      await ask(agent, 'read README.md')
      await ask(agent, 'tell me a story')
      expect((await agent.context.compress()).outcome.type).toBe('compressed')
    }
    await goOn()
    expect(agent.context.unpin('the harbour opens at ten')).toBe(false)
    expect(agent.context.unpin('the harbour opens at nine')).toBe(true)
    for (let round = 0; round < 2; round++) {
      agent = await reopen(agent)
      expect(agent.context.listPins()).toEqual(['the harbour closes at ten'])
      await goOn()
      const said = JSON.stringify(agent.context.messages)
      expect(said).not.toContain('the harbour opens at nine')
      expect(said).toContain('the harbour closes at ten')
    }
    agent.context.pin('the harbour opens at nine')
    agent = await reopen(agent)
    expect(agent.context.listPins()).toEqual([
      'the harbour closes at ten',
      'the harbour opens at nine',
    ])
    await agent.close()
  })

  test('is as it was: compressed state, pins, model and recall', async () => {
    let agent = await folders.open({ model: 'demo/large' })
    await ask(agent, 'Remember that you must never touch limits.json.')
    await ask(agent, 'read README.md')
    await ask(agent, 'tell me a story')
    agent.context.pin('the harbour opens at nine')
    await agent.context.compress()
    const before = agent.context.messages
    const found = agent.recall('every crane')
    agent = await reopen(agent)
    expect(agent.context.messages).toEqual(before)
    expect(agent.context.state.pins).toEqual(['the harbour opens at nine'])
    expect(agent.model).toBe('demo/large')
    expect(agent.recall('every crane')).toEqual(found)
    expect(agent.resumed).toMatchObject({
      from: 'chat',
      messages: before.length,
      repairedCalls: 0,
      damage: { lines: 0, cutOffBytes: 0 },
    })
    await agent.close()
  })

  test('takes back a compression of before, and what came since stays', async () => {
    let agent = await folders.open({ model: 'demo/large' })
    await ask(agent, 'read README.md')
    await ask(agent, 'tell me a story')
    const before = agent.context.messages
    await agent.context.compress()
    agent = await reopen(agent)
    await ask(agent, 'hello')
    const since = agent.context.messages.slice(-2)
    expect(agent.context.state.undoable).toBe(1)
    expect(agent.context.undo()).toBe(true)
    expect(agent.context.messages).toEqual([...before, ...since])
    expect(agent.context.undo()).toBe(false)
    agent = await reopen(agent)
    expect(agent.context.messages).toEqual([...before, ...since])
    await agent.close()
  })

  test('can take another model', async () => {
    let agent = await folders.open({ model: 'demo/large' })
    for (let turn = 0; turn < 5; turn++) await ask(agent, 'tell me a story')
    agent = await reopen(agent, { model: 'demo/tiny' })
    const events = await ask(agent, 'hello')
    expect(ofType(events, 'error').filter(({ message }) => !/cut off/.test(message))).toEqual([])
    expect(ofType(events, 'compression')).toMatchObject([
      { compression: { outcome: { type: 'compressed' } } },
    ])
    agent = await reopen(agent)
    expect(agent.model).toBe('demo/tiny')
    await agent.close()
  })

  test('keeps a half answer and the results that were there when its process went away', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    await agent.close()
    const path = agent.historyFile ?? ''
    const call = (id: string) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: 'read_file',
      input: { path: id },
    })
    const add = (...entries: object[]) =>
      writeFileSync(path, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`, {
        flag: 'a',
      })
    add(
      { type: 'message', message: { role: 'user', content: 'read two files' } },
      { type: 'message', message: { role: 'assistant', content: [call('a'), call('b')] } },
      { type: 'partial-result', callId: 'a', output: 'content of a', isError: false },
    )
    const again = await folders.open({ resume: true })
    expect(again.resumed).toMatchObject({ repairedCalls: 1 })
    expect(again.context.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { toolCallId: 'a', output: { type: 'text', value: 'content of a' } },
        {
          toolCallId: 'b',
          output: { type: 'error-text', value: expect.stringContaining('Interrupted') },
        },
      ],
    })
    await again.close()
    add({ type: 'partial-text', text: 'I was say' }, { type: 'partial-text', text: 'ing' })
    const third = await folders.open({ resume: true })
    expect(third.context.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'I was saying' }],
    })
    await third.close()
  })

  test('is found by the beginning of its id, by path, and as the newest of its folder', async () => {
    const first = await folders.open()
    await ask(first, 'hello one')
    await first.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const second = await folders.open()
    await ask(second, 'hello two')
    await second.close()
    const id = (first.historyFile ?? '').slice(-18, -6)
    for (const [resume, text] of [
      [id.slice(0, 8), 'one'],
      [first.historyFile ?? '', 'one'],
      [true, 'two'],
    ] as const) {
      const agent = await folders.open({ resume })
      expect(agent.context.messages[0]).toMatchObject({ content: `hello ${text}` })
      await agent.close()
    }
    await expect(folders.open({ resume: true, workingDirectory: folders.root })).rejects.toThrow(
      /there is no chat of/,
    )
    await expect(folders.open({ resume: 'fffffffffff0' })).rejects.toThrow(/no session has an id/)
  })

  test('has its last entry though an editor took the line feed behind it away', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    await agent.close()
    const path = agent.historyFile ?? ''
    const last = JSON.stringify({ type: 'pin', text: 'the last entry' })
    writeFileSync(path, `${readFileSync(path, 'utf8')}${last}`)
    const again = await folders.open({ resume: path })
    expect(again.resumed?.damage).toMatchObject({ lines: 0, cutOffBytes: 0 })
    again.context.pin('one more')
    await again.close()
    expect(readChat(path, files)).toMatchObject({
      history: { pins: ['the last entry', 'one more'] },
      damage: { lines: 0, cutOffBytes: 0 },
    })
  })

  test('writes nothing more once it is closed, and loses nothing of what it wrote', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    const again = await reopen(agent)
    await ask(again, 'a new question')
    await again.close()
    const before = readFileSync(agent.historyFile ?? '')
    again.context.pin('too late')
    expect(readFileSync(agent.historyFile ?? '').equals(before)).toBe(true)
  })

  test('is held by one process at a time', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    await expect(folders.open({ resume: true })).rejects.toThrow(/is the one that is open/)
    await agent.close()
    const again = await folders.open({ resume: true })
    await again.close()
  })

  test('goes on without a history where the disk takes none, and says so', async () => {
    writeFileSync(folders.chats, 'a file in the place of the folder')
    const agent = await folders.open()
    const events = await ask(agent, 'hello')
    expect(agent.historyFile).toBeUndefined()
    expect(ofType(events, 'error')).toMatchObject([{ hint: 'The chat goes on without a history.' }])
    expect(ofType(await ask(agent, 'hello'), 'error')).toEqual([])
    await agent.close()
  })
})
