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
      firstMessage: 1,
      lastMessage: 2,
      count: 2,
      written: true,
      stale: false,
    })
  })

  test('paths are relative to the working directory', () => {
    const facts = extractFacts([calls('Read', { file_path: '/work/app/src/a.ts' })], {
      workingDirectory: '/work/app',
    })
    expect(facts).toContainEqual(expect.objectContaining({ kind: 'path', text: 'src/a.ts' }))
  })

  test('only the person gives directives and asks questions', () => {
    const order = 'You must never touch the database.'
    const messages = [result('a', order), injected(order), agent(order), person('Always run the linter. Is it fast?')]
    const facts = extractFacts(messages)
    expect(facts.filter(({ kind }) => kind === 'directive').map(({ text }) => text)).toEqual(['Always run the linter.'])
    expect(facts.filter(({ kind }) => kind === 'question').map(({ text }) => text)).toEqual(['Is it fast?'])
  })

  test('commands, tasks, errors and decisions are found', () => {
    const facts = extractFacts([
      calls('Bash', { command: 'npm run check' }),
      result('c', 'TypeError: x is not a function\nall other lines are fine'),
      calls('TodoWrite', { todos: [{ content: 'Fix the parser', status: 'pending' }] }),
      agent('The root cause is a missing import.'),
    ])
    const of = (wanted: string) => facts.filter(({ kind }) => kind === wanted).map(({ text }) => text)
    expect(of('command')).toEqual(['npm run check'])
    expect(of('error')).toEqual(['TypeError: x is not a function'])
    expect(of('task')).toEqual(['Fix the parser'])
    expect(of('decision')).toEqual(['The root cause is a missing import.'])
  })
})
