import { describe, expect, test } from 'vitest'
import { agent, injected, person, result } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { extractFacts } from './extract.ts'

const calls = (name: string, input: unknown): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'tool-call', callId: 'c', name, input }],
})

describe('extractFacts', () => {
  test('a name knows where it was seen, how often and who wrote it', () => {
    const facts = extractFacts([
      person('look'),
      result('a', 'parseInput here'),
      agent('parseInput is it'),
      person('ok'),
    ])
    const fact = facts.find(({ text }) => text === 'parseInput')
    expect(fact).toEqual({
      kind: 'identifier',
      text: 'parseInput',
      messages: [1, 2],
      count: 2,
      writer: 'agent',
      recorded: false,
      stale: false,
    })
  })

  test('paths are relative to the working directory', () => {
    const facts = extractFacts([calls('Read', { file_path: '/work/app/src/a.ts' })], {
      workingDirectory: '/work/app',
    })
    expect(facts).toContainEqual(expect.objectContaining({ kind: 'path', text: 'src/a.ts' }))
  })

  test('of what a call or a block is given its texts are read, not the names of its parameters', () => {
    const input = {
      file_path: 'src/a.ts',
      old_string: 'callThis()',
      timeout_ms: 120_000,
      edits: [{ new_string: 'x\ncallThat()' }],
    }
    const block: Message = {
      role: 'user',
      origin: 'user',
      parts: [{ type: 'opaque', kind: 'x', text: JSON.stringify(input) }],
    }
    const names = ['src/a.ts', 'callThis', 'callThat']
    for (const message of [calls('Edit', input), calls('Edit', JSON.stringify(input))]) {
      expect(extractFacts([message]).map(({ text }) => text)).toEqual(names)
    }
    const answer: Message = {
      role: 'tool',
      origin: 'environment',
      parts: [{ type: 'tool-result', callId: 'c', output: block.parts, isError: false }],
    }
    expect(extractFacts([answer]).map(({ text }) => text)).toEqual(names)
  })

  test('what is called an id once is no commit elsewhere', () => {
    const facts = extractFacts([agent('Checkpoint ID: 7940d5559a34'), agent('got 7940d5559a34')])
    expect(facts.map(({ kind, count }) => [kind, count])).toEqual([['identifier', 1]])
  })

  test('only the person gives instructions and asks questions', () => {
    const order = 'You must never touch the database.'
    const messages = [
      result('a', order),
      injected(order),
      agent(order),
      person('Always run the linter. Is it fast?'),
    ]
    const facts = extractFacts(messages)
    expect(facts.filter(({ kind }) => kind === 'directive').map(({ text }) => text)).toEqual([
      'Always run the linter.',
    ])
    expect(facts.filter(({ kind }) => kind === 'question').map(({ text }) => text)).toEqual([
      'Is it fast?',
    ])
  })

  test('commands, tasks, errors and decisions are found', () => {
    const facts = extractFacts([
      calls('Bash', { command: 'npm run check' }),
      result('c', 'TypeError: x is not a function\nall other lines are fine'),
      calls('TodoWrite', { todos: [{ content: 'Fix the parser', status: 'pending' }] }),
      agent('The root cause is a missing import.'),
    ])
    const of = (wanted: string) =>
      facts.filter(({ kind }) => kind === wanted).map(({ text }) => text)
    expect(of('command')).toEqual(['npm run check'])
    expect(of('error')).toEqual(['TypeError: x is not a function'])
    expect(of('task')).toEqual(['Fix the parser'])
    expect(of('decision')).toEqual(['The root cause is a missing import.'])
  })

  test('what was made outside of files is found with its name, and is stale when it is gone', () => {
    const facts = extractFacts([
      calls('Bash', { command: 'git commit -m one' }),
      result('c', '[main 1111111] one'),
      calls('Bash', { command: 'git commit --amend -m two && gh pr create --fill' }),
      result('c', '[main 2222222] two\nhttps://github.com/o/r/pull/12'),
    ])
    expect(facts.filter(({ kind }) => kind === 'artifact')).toMatchObject([
      { text: 'commit 1111111', stale: true },
      { text: 'commit 2222222', stale: false, writer: 'agent', messages: [3] },
      { text: 'pull request #12', stale: false },
    ])
  })

  test('a task in the background is stale when the host tells its end', () => {
    const ended = '<task-id>b1</task-id>\n<status>completed</status>'
    const facts = extractFacts([
      calls('Bash', { command: 'npm test' }),
      result('c', 'Command running in background with ID: b1.'),
      injected(`<task-notification>\n${ended}\n</task-notification>`),
    ])
    expect(facts).toContainEqual(
      expect.objectContaining({ text: 'background task b1', stale: true }),
    )
  })

  test.each([
    { history: null, named: 'options.history is null' },
    { pins: 'Never push.', named: 'options.pins is' },
  ])('names what is wrong: $named', ({ named, ...options }) => {
    expect(() => extractFacts([], options as never)).toThrow(`Extracting facts: ${named}`)
  })
})
