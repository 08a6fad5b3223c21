import { describe, expect, test } from 'vitest'
import { agent, person, result } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createReceipt } from './receipt.ts'

const read = (...messages: Message[]) =>
  createReceipt({ removed: messages, output: [], isKept: true }).gone
const recorded = (message: Message): Message => ({ ...message, records: [0] })
const calls = (command: string): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'tool-call', callId: 'c', name: 'Bash', input: { command } }],
})
const textsOf = (messages: readonly Message[], kind: string) =>
  read(...messages).flatMap((fact) => (fact.kind === kind ? [fact.text] : []))

describe('the weightiest facts that are gone', () => {
  test('are named with who said them, how often, and where last', () => {
    const messages = [
      person('Look at src/a.ts.'),
      agent('I read src/a.ts.'),
      person('Go on.'),
      result('c', 'src/a.ts'),
    ]
    const place = { writer: 'user', count: 3, message: 3, turn: 2 }
    expect(read(...messages)).toContainEqual({
      kind: 'path',
      text: 'src/a.ts',
      state: 'missing',
      ...place,
    })
  })

  test('leave out what stands in the output and what is stale', () => {
    const removed = [
      person('Never push. Look at src/a.ts and src/b.ts.'),
      calls('rm src/b.ts'),
      result('c', ''),
    ]
    const { gone } = createReceipt({ removed, output: [person('Never push.')] })
    expect(gone.map(({ text }) => text)).toEqual(expect.arrayContaining(['src/a.ts']))
    for (const text of ['Never push.', 'src/b.ts'])
      expect(gone.map((fact) => fact.text)).not.toContain(text)
  })

  test('are at most ten, and the same ones in any number of runs', () => {
    const messages = Array.from({ length: 40 }, (_, index) =>
      agent(`It is in src/file${index}.ts, called findThing${index}.`),
    )
    expect(read(...messages)).toHaveLength(10)
    expect(read(...messages)).toEqual(read(...messages))
  })

  test('the word of the user weighs more than that of the agent, and that more than output', () => {
    const messages = [person('src/user.ts'), agent('src/agent.ts'), result('c', 'src/output.ts')]
    for (const order of [messages, messages.toReversed()]) {
      expect(textsOf(order, 'path')).toEqual(['src/user.ts', 'src/agent.ts', 'src/output.ts'])
    }
  })

  test('the newest comes first, one that is said a few times before one said once, one that is everywhere last', () => {
    const filler = Array.from({ length: 12 }, () => agent('It is in src/everywhere.ts.'))
    const messages = [
      agent('src/old.ts'),
      ...filler,
      agent('src/new.ts'),
      agent('src/few.ts'),
      agent('see src/few.ts'),
    ]
    expect(textsOf(messages, 'path')).toEqual([
      'src/few.ts',
      'src/new.ts',
      'src/old.ts',
      'src/everywhere.ts',
    ])
  })

  test('are of several kinds where there are several', () => {
    const names = Array.from({ length: 30 }, (_, index) => `src/file${index}.ts`).join(' ')
    const kinds = new Set(
      read(person(names), calls('npm test'), result('c', 'Error: it is broken')).map(
        ({ kind }) => kind,
      ),
    )
    expect([...kinds]).toEqual(expect.arrayContaining(['path', 'command', 'error']))
  })

  test('what says the same is named once', () => {
    const paths = [agent('see /work/app/src/a.ts and'), agent('src/a.ts')]
    expect(textsOf(paths, 'path')).toHaveLength(1)
    expect(textsOf([calls('npm test'), calls('npm test -- --watch')], 'command')).toHaveLength(1)
    const errors = [
      result('c', 'Error: line 3 of a.ts is broken'),
      result('c', 'Error: line 7 of a.ts is broken'),
    ]
    expect(textsOf(errors, 'error')).toHaveLength(1)
    const beginning = 'The root cause is a parser that reads one line too many when'
    expect(
      textsOf([agent(`${beginning} it starts.`), agent(`${beginning} it ends.`)], 'decision'),
    ).toHaveLength(1)
    expect(textsOf([person('After 30 s and 60 s, please')], 'number-with-unit')).toHaveLength(2)
  })

  test('are one line, cut between words, without secrets', () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
    const [fact] = read(calls(`deploy --token ${key}\n  ${'staging '.repeat(30)}`))
    expect(fact?.text).toMatch(/^deploy --token \[redacted: precis restore\] staging .*staging…$/)
    expect(fact?.text.length).toBeLessThanOrEqual(201)
  })

  test('are retrievable where a record is kept that says them', () => {
    const messages = [
      agent('src/written.ts'),
      recorded(agent('src/kept.ts and src/both.ts')),
      agent('src/both.ts'),
    ]
    const stateOf = (isKept: boolean) =>
      createReceipt({ removed: messages, output: [], isKept }).facts.map(({ text, state }) => [
        text,
        state,
      ])
    const kept = [
      ['src/written.ts', 'missing'],
      ['src/kept.ts', 'retrievable'],
      ['src/both.ts', 'retrievable'],
    ]
    expect(stateOf(true)).toEqual(kept)
    expect(stateOf(false)).toEqual(kept.map(([text]) => [text, 'missing']))
  })

  test('a pin is in no record', () => {
    const removed = [recorded(agent('ok then'))]
    const { gone } = createReceipt({
      removed,
      output: [],
      isKept: true,
      pins: ['The port is open.'],
    })
    expect(gone).toMatchObject([{ text: 'The port is open.', state: 'missing', writer: 'user' }])
  })
})
