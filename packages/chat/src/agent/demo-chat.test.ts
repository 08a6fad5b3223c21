import { readFileSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { systemClock } from '../../../precis/src/language-models/retry.ts'
import { ask, type ChatFolders, createFolders, ofType, readAnswer } from '../chat.suite.ts'

let folders: ChatFolders
beforeEach(() => {
  folders = createFolders()
})
afterEach(() => folders.remove())

const DEMAND = 'Remember that you must never touch config/limits.json.'

describe('the demo', () => {
  test('answers, reads files with the real tools, and tells what each request cost', async () => {
    const agent = await folders.open()
    const events = await ask(agent, 'read src/ships.ts')
    expect(ofType(events, 'tool-call')).toMatchObject([
      { name: 'read_file', input: { path: 'src/ships.ts' } },
    ])
    expect(ofType(events, 'tool-result')).toMatchObject([
      { name: 'read_file', isError: false, output: '1\texport const ships = ["Aurora", "Belle"]' },
    ])
    expect(readAnswer(events)).toContain('I read src/ships.ts.')
    expect(ofType(events, 'usage')).toHaveLength(2)
    expect(events.at(-1)).toEqual({ type: 'done', isInterrupted: false })
    expect(agent.spent).toMatchObject({ requests: 2, dollars: 0 })
    await agent.close()
  })

  test('compresses by itself before its window is full, and a demand of the person stands', {
    tags: 'slow',
  }, async () => {
    const agent = await folders.open()
    await ask(agent, DEMAND)
    const events = []
    for (let turn = 0; turn < 10; turn++) events.push(...(await ask(agent, 'tell me a story')))
    const compressions = ofType(events, 'compression')
    expect(compressions.length).toBeGreaterThan(0)
    for (const { compression } of compressions) {
      expect(compression).toMatchObject({ trigger: 'threshold', outcome: { type: 'compressed' } })
      expect(compression.tokensAfter).toBeLessThan(compression.tokensBefore)
    }
    expect(ofType(events, 'error')).toEqual([])
    expect(JSON.stringify(agent.context.messages)).toContain('config/limits.json')
    await agent.close()
  })

  test('compresses when asked, finds what was removed, and goes back by undo', async () => {
    const agent = await folders.open()
    await ask(agent, DEMAND)
    await ask(agent, 'explore this project')
    await ask(agent, 'tell me a story')
    const before = agent.context.messages
    const compression = await agent.context.compress({ instructions: 'the names of files' })
    expect(compression.outcome.type).toBe('compressed')
    expect(agent.context.messages.length).toBeLessThan(before.length)
    expect(JSON.stringify(agent.context.messages)).toContain('config/limits.json')
    const [found] = ofType(await ask(agent, 'recall every crane'), 'tool-result')
    expect(found).toMatchObject({ name: 'recall', isError: false })
    expect(found?.output).toContain('every crane')
    expect(agent.context.undo()).toBe(true)
    expect(agent.context.messages.slice(0, before.length)).toEqual(before)
    await agent.close()
  })

  test('switches to a smaller model by compressing to fit, and goes on there', {
    tags: 'slow',
  }, async () => {
    const agent = await folders.open({ model: 'demo/large' })
    await ask(agent, DEMAND)
    for (let turn = 0; turn < 5; turn++) await ask(agent, 'tell me a story')
    const preview = await agent.context.previewSwitch('demo/tiny')
    expect(preview).toMatchObject({ windowTokens: 4000, verdict: 'fits-after-summary' })
    const result = await agent.switchModel('demo/tiny', { signal: new AbortController().signal })
    expect(result.outcome.type).toBe('switched')
    expect(agent.model).toBe('demo/tiny')
    expect(agent.context.state).toMatchObject({ model: 'demo/tiny', windowTokens: 4000 })
    const events = await ask(agent, 'what do you remember?')
    expect(ofType(events, 'error')).toEqual([])
    expect(readAnswer(events)).toContain('verbatim')
    expect(JSON.stringify(agent.context.messages)).toContain('config/limits.json')
    await agent.close()
  })

  test('lists its own models with their windows, and no key is needed', async () => {
    const agent = await folders.open()
    expect(agent.listModels().map(({ name, windowTokens }) => [name, windowTokens])).toEqual([
      ['demo/large', 32_000],
      ['demo/small', 8000],
      ['demo/tiny', 4000],
    ])
    await agent.close()
  })

  test('takes a window by flag, and says so when nothing more fits into it', async () => {
    const agent = await folders.open({ windowTokens: 600 })
    expect(agent.context.state.windowTokens).toBe(600)
    const events = await ask(agent, 'tell me a story')
    const [error] = ofType(events, 'error')
    expect(error?.message).toMatch(/does not fit/)
    expect(error?.hint).toContain('/model')
    expect(agent.context.messages.at(-1)).toEqual({ role: 'user', content: 'tell me a story' })
    await agent.close()
  })

  test.each(casesOf(['demo/tiny', 'demo/small', 'demo/large']))(
    '%s comes to an end with everything it is asked',
    { tags: 'property' },
    async (model) => {
      const agent = await folders.open({ model, workingDirectory: process.cwd() })
      const requests = [
        'explore this project',
        'read package-lock.json',
        'tell me a story',
        'list files',
      ]
      for (const request of [...requests, 'what do you remember?', ...requests]) {
        const events = await ask(agent, request)
        expect(ofType(events, 'error')).toEqual([])
        expect(ofType(events, 'usage').length).toBeLessThan(10)
        expect(readAnswer(events)).not.toBe('')
      }
      await agent.close()
    },
  )

  test('stops at once when aborted, and what it said until then stays', async () => {
    const stop = new AbortController()
    let waits = 0
    // After twenty pieces of the answer, waits until the abort.
    const wait: typeof systemClock.wait = async (_, signal) => {
      if (++waits < 20) return
      setImmediate(() => stop.abort())
      await systemClock.wait(2 ** 31 - 1, signal)
    }
    const agent = await folders.open({
      host: { environment: {}, chatsFolder: folders.chats, wait },
    })
    const events = await ask(agent, 'tell me a story', stop.signal)
    expect(events.at(-1)).toEqual({ type: 'done', isInterrupted: true })
    expect(ofType(events, 'error')).toEqual([])
    expect(agent.context.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: readAnswer(events) }],
    })
    expect(readAnswer(events)).toContain('(1) ')
    await agent.close()
  })

  test('keeps its history for the owner alone', async () => {
    const agent = await folders.open()
    await ask(agent, 'hello')
    const path = agent.historyFile ?? ''
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(
      readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(expect.arrayContaining(['chat', 'message', 'message']))
    await agent.close()
  })
})
