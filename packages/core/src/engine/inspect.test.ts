import { describe, expect, test } from 'vitest'
import { expectLessThan } from '../../../../test/growth.suite.ts'
import type { Conversation, Message, UserMessage } from '../conversation/message.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { inspect } from './inspect.ts'

const counter = createTokenCounter(findModel('gpt-5'))

function createConversation(
  messages: readonly Message[],
  tools: readonly string[] = [],
): Conversation {
  return { protocol: 'anthropic-messages', messages, tools, workingDirectory: '/work' }
}

function ask(text: string): UserMessage {
  return { role: 'user', origin: 'user', parts: [{ type: 'text', text }] }
}

function call(name: string, callId: string, input: object): Message {
  return { role: 'assistant', origin: 'agent', parts: [{ type: 'tool-call', callId, name, input }] }
}

function answer(callId: string, text: string, isError = false): Message {
  const output = [{ type: 'text', text }] as const
  return {
    role: 'tool',
    origin: 'environment',
    parts: [{ type: 'tool-result', callId, output, isError }],
  }
}

function read(callId: string, path: string, text: string): Message[] {
  return [call('Read', callId, { file_path: path }), answer(callId, text)]
}

function edit(callId: string, path: string, isError = false): Message[] {
  const input = { file_path: path, old_string: 'a', new_string: 'b' }
  return [call('Edit', callId, input), answer(callId, 'The file was updated.', isError)]
}

const TEXT = 'export const answer = 42\n'.repeat(20)

describe('inspect', () => {
  test('counts every token once: the kinds add up to what the counter says of the whole', () => {
    const reasoning: Message = {
      role: 'assistant',
      origin: 'agent',
      parts: [
        { type: 'reasoning', text: 'Let me think about it.', signatureLength: 320 },
        { type: 'text', text: 'It is 42.' },
        { type: 'opaque', kind: 'citation', text: '{"type":"citation"}' },
      ],
    }
    const system: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'Be brief.' }],
    }
    const messages = [system, ask('What is it?'), ...read('1', '/work/a.ts', TEXT), reasoning]
    const conversation = createConversation(messages, ['{"name":"Read"}'])
    const { total, ...kinds } = inspect(conversation, counter).tokens
    expect(total).toBe(counter.countConversation(conversation).upper)
    expect(Object.values(kinds).reduce((a, b) => a + b)).toBe(total)
    expect(kinds.reasoning).toBe(counter.countPart(reasoning.parts[0]!).upper)
    expect(kinds.system).toBe(
      counter.countMessage(system).upper + counter.countFixed(conversation).upper,
    )
  })

  test('counts calls, errors and tokens by tool, fattest first', () => {
    const messages = [
      ...edit('1', '/work/a.ts', true),
      ...edit('2', '/work/a.ts'),
      ...read('3', '/work/b.ts', TEXT),
    ]
    const { byTool } = inspect(createConversation(messages), counter)
    expect(byTool.map(({ tool, calls, errors }) => ({ tool, calls, errors }))).toEqual([
      { tool: 'Read', calls: 1, errors: 0 },
      { tool: 'Edit', calls: 2, errors: 1 },
    ])
    for (const { callTokens, resultTokens, tokens } of byTool)
      expect(callTokens + resultTokens).toBe(tokens)
  })

  test('a command that the host does not mark is an error by its exit code, and no read', () => {
    const run = (callId: string, command: string, exitCode: number): Message[] => [
      call('bash', callId, { command }),
      {
        role: 'tool',
        origin: 'environment',
        parts: [{ type: 'tool-result', callId, output: [], isError: false, exitCode }],
      },
    ]
    const messages = [
      ...run('1', 'npm test', 1),
      ...run('2', 'grep TODO src/a.ts', 1),
      ...run('3', 'cat src/a.ts', 1),
      ...run('4', 'cat src/a.ts', 0),
      ...run('5', 'cat src/a.ts', 1),
    ]
    const { byTool, duplicateReads } = inspect(createConversation(messages), counter)
    expect(byTool).toMatchObject([{ tool: 'bash', calls: 5, errors: 3 }])
    expect(duplicateReads.count).toBe(0)
  })

  test('names a result that answers no call as such', () => {
    const { byTool } = inspect(createConversation([answer('lost', 'hello')]), counter)
    expect(byTool[0]).toMatchObject({ tool: '(no call)', calls: 0 })
  })

  test('pairs a reused id with the nearest call that is still open', () => {
    const messages = [...read('1', '/work/a.ts', TEXT), ...edit('1', '/work/b.ts')]
    const { byFile } = inspect(createConversation(messages), counter)
    expect(byFile.map(({ path, reads, writes }) => [path, reads, writes])).toEqual([
      ['a.ts', 1, 0],
      ['b.ts', 0, 1],
    ])
  })

  test('calls a read stale when a later edit of the same file succeeded, by whatever name the path goes', () => {
    const messages = [
      ...read('1', '/work/a.ts', TEXT),
      ...read('2', '/work/b.ts', TEXT),
      ...edit('3', '/work/b.ts', true),
      ...edit('4', 'a.ts'),
    ]
    const { staleReads, duplicateReads } = inspect(createConversation(messages), counter)
    expect(staleReads).toEqual({
      count: 1,
      tokens: counter.countPart(messages[1]!.parts[0]!).upper,
    })
    expect(duplicateReads).toEqual({ count: 0, tokens: 0 })
  })

  test('calls a read a duplicate when it gave what an earlier one gave, and never stale as well', () => {
    const again = [...read('1', '/work/a.ts', TEXT), ...read('2', '/work/a.ts', TEXT)]
    expect(inspect(createConversation(again), counter)).toMatchObject({
      staleReads: { count: 0 },
      duplicateReads: { count: 1 },
    })
    const changed = [...again, ...edit('3', '/work/a.ts')]
    expect(inspect(createConversation(changed), counter)).toMatchObject({
      staleReads: { count: 2 },
      duplicateReads: { count: 0 },
    })
    const other = [...read('1', '/work/a.ts', TEXT), ...read('2', '/work/a.ts', `${TEXT}more`)]
    expect(inspect(createConversation(other), counter).duplicateReads.count).toBe(0)
  })

  test('gives turns that cover all messages, the ones before the first request as turn 0', () => {
    const notice: Message = {
      role: 'user',
      origin: 'synthetic',
      parts: [{ type: 'text', text: 'A reminder.' }],
    }
    const conversation = createConversation([
      notice,
      ask('First?'),
      ...read('1', '/work/a.ts', TEXT),
      ask('Second?'),
    ])
    const { byTurn, turns, tokens } = inspect(conversation, counter)
    expect(turns).toBe(2)
    expect(
      byTurn.map(({ turn, message, messages, request }) => [turn, message, messages, request]),
    ).toEqual([
      [0, 0, 1, ''],
      [1, 1, 3, 'First?'],
      [2, 4, 1, 'Second?'],
    ])
    expect(byTurn.reduce((sum, turn) => sum + turn.tokens, 0)).toBe(tokens.total)
  })

  test('gives the twenty fattest parts with where they are from', () => {
    const messages = Array.from({ length: 30 }, (_, index) =>
      read(String(index), `/work/${index}.ts`, TEXT.repeat(index + 1)),
    ).flat()
    const { largest } = inspect(createConversation(messages), counter)
    expect(largest).toHaveLength(20)
    expect(largest[0]).toMatchObject({
      message: 59,
      role: 'tool',
      type: 'tool-result',
      tool: 'Read',
      file: '29.ts',
    })
    expect(largest[0]?.preview.length).toBeLessThanOrEqual(160)
  })

  test('ends a preview between two characters', () => {
    const { byTurn } = inspect(createConversation([ask(`${'x'.repeat(159)}😀`)]), counter)
    expect(byTurn[0]?.request).toBe('x'.repeat(159))
  })

  test('of nothing is nothing', () => {
    expect(inspect(createConversation([]), counter)).toMatchObject({
      messages: 0,
      turns: 0,
      tokens: { total: 0 },
      byTurn: [],
      largest: [],
    })
  })

  test('costs less than three counts of a conversation of 5 MB', { tags: 'slow' }, async () => {
    const messages = Array.from({ length: 1500 }, (_, index) => {
      const text = Array.from(
        { length: 60 },
        (_, line) => `const value${index}_${line} = compute(${line * index})`,
      ).join('\n')
      return [
        ...read(String(index), `/work/${index % 50}.ts`, text),
        ...edit(`e${index}`, `/work/${index % 50}.ts`),
      ]
    }).flat()
    const conversation = createConversation(messages)
    // Each with a counter of its own, which remembers no text.
    const count = () => createTokenCounter(findModel('gpt-5')).countConversation(conversation)
    await expectLessThan(3, count, () =>
      inspect(conversation, createTokenCounter(findModel('gpt-5'))),
    )
  })
})
