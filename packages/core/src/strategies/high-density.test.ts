import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import {
  agent,
  answer,
  call,
  clear,
  conversationOf,
  image,
  lines,
  outputsOf,
  person,
  testClearing,
} from './clearing.suite.ts'
import { createHighDensity, highDensity } from './high-density.ts'
import { testStrategy, viewOf } from './strategy.suite.ts'

testStrategy(highDensity)
testClearing(highDensity)
testClearing(createHighDensity({ keepResults: 0 }), 'high-density to the last result')

const CONTENT = lines(40, 'code')
const noRecency = createHighDensity({ keepResults: Infinity })

/** One answer with one call for each step, its result, and a closing answer. */
function work(
  ...steps: readonly (readonly [name: string, input: unknown, output?: string, isError?: boolean])[]
): Conversation {
  const messages = steps.flatMap(
    ([name, input, output = CONTENT, isError = false], index): Message[] => [
      call(`${index}`, name, input),
      answer(`${index}`, output, isError),
    ],
  )
  return {
    ...conversationOf([person('start'), ...messages, agent('done')]),
    workingDirectory: '/home/me/project',
  }
}

const read = (path: string, output = `${path}\n${CONTENT}`, more = {}) =>
  ['Read', { file_path: path, ...more }, output] as const
const write = (path: string, isError = false) =>
  ['Edit', { file_path: path, old_string: 'a', new_string: 'b' }, 'ok', isError] as const
const cleared = (conversation: Conversation, strategy = noRecency) =>
  Object.entries(outputsOf(clear(strategy, conversation)))
    .filter(([, output]) => /^\[.*\]$/.test(output))
    .map(([id, output]) => `${id} ${output}`)

describe('reads', () => {
  test('go when a later write changed their file', () => {
    expect(cleared(work(read('src/a.ts'), write('src/a.ts')))).toEqual([
      '0 [Read src/a.ts: superseded by a later edit]',
    ])
  })

  test('go when a command changed their file', () => {
    const command = (cmd: string, isError = false) =>
      ['Bash', { command: cmd }, 'done', isError] as const
    expect(cleared(work(read('src/a.ts'), command("sed -i 's/a/b/' src/a.ts")))).toHaveLength(1)
    expect(cleared(work(read('src/a.ts'), command("sed -i 's/a/b/' src/a.ts", true)))).toEqual([])
  })

  test('stay when they come after the write', () => {
    expect(cleared(work(write('src/a.ts'), read('src/a.ts')))).toEqual([])
  })

  test('stay when the write failed', () => {
    expect(cleared(work(read('src/a.ts'), write('src/a.ts', true)))).toEqual([])
  })

  test('stay when the write says in words that it failed', () => {
    const failed = [
      'edit',
      { path: 'src/a.ts', old_string: 'x', new_string: 'y' },
      'Error: string not found',
    ] as const
    expect(cleared(work(read('src/a.ts'), failed))).toEqual([])
  })

  test('stay while the write still waits for its result', () => {
    const base = work(read('src/a.ts'))
    const waiting = call('9', 'Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' })
    expect(cleared({ ...base, messages: [...base.messages, waiting] })).toEqual([])
  })

  test('are found under relative, dotted and absolute paths, under every name of the field and of the tool', () => {
    const reads = [
      ['read_file', { absolute_path: '/home/me/project/src/a.ts' }, `1 ${CONTENT}`],
      ['view', { path: './src/a.ts' }, `2 ${CONTENT}`],
      ['exec_command', { cmd: 'cat src/a.ts' }, `3 ${CONTENT}`],
    ] as const
    const patch = '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch'
    expect(cleared(work(...reads, ['apply_patch', patch, 'ok']))).toHaveLength(3)
  })

  test('of several files stay until all of them were written', () => {
    const both = ['read_many_files', { paths: ['a.ts', 'b.ts'] }] as const
    expect(cleared(work(both, write('a.ts')))).toEqual([])
    expect(cleared(work(both, write('a.ts'), write('b.ts')))).toHaveLength(1)
  })

  test('of a pattern never go', () => {
    expect(cleared(work(['read_many_files', { paths: ['*.ts'] }], write('*.ts')))).toEqual([])
  })

  test('of a range go after a write, not after a read of another range or of the whole file', () => {
    const range = (offset: number) => read('a.ts', `${offset} ${CONTENT}`, { offset, limit: 40 })
    expect(cleared(work(range(100), range(200), read('a.ts')))).toEqual([])
    expect(cleared(work(range(100), write('a.ts')))).toHaveLength(1)
  })

  test('of the whole file go when it is read again', () => {
    expect(cleared(work(read('a.ts', `old ${CONTENT}`), read('a.ts', `new ${CONTENT}`)))).toEqual([
      '0 [Read a.ts: read again later]',
    ])
  })

  test('stay when reading again failed', () => {
    expect(
      cleared(work(read('a.ts'), ['Read', { file_path: 'a.ts' }, `Error: gone\n${CONTENT}`, true])),
    ).toEqual([])
  })

  test('stay with a command that does more than read', () => {
    const both = ['exec_command', { cmd: 'cat a.ts && npm test' }] as const
    expect(cleared(work(both, write('a.ts')))).toEqual([])
  })

  test('with an input nobody understands stay', () => {
    expect(
      cleared(
        work(['Read', '{"file_path": ', CONTENT], ['Read', null, `x${CONTENT}`], write('a.ts')),
      ),
    ).toEqual([])
  })

  test('in one answer with others go alone', () => {
    const parallel = { ...call('0', 'Read', { file_path: 'a.ts' }) }
    const second = call('1', 'Read', { file_path: 'b.ts' }).parts
    const messages = [
      person('start'),
      { ...parallel, parts: [...parallel.parts, ...second] },
      answer('0', `a ${CONTENT}`),
      answer('1', `b ${CONTENT}`),
      ...work(write('a.ts'))
        .messages.slice(1)
        .map((message) => rename(message)),
    ]
    expect(cleared(conversationOf(messages))).toEqual(['0 [Read a.ts: superseded by a later edit]'])
  })
})

/** The same message with ids of its own. */
function rename(message: Message): Message {
  if (message.role === 'assistant') {
    const parts = message.parts.map((part) =>
      part.type === 'tool-call' ? { ...part, callId: 'w' } : part,
    )
    return { ...message, parts }
  }
  return message.role === 'tool' ? answer('w', 'ok') : message
}

describe('results', () => {
  test('that a later call repeats word for word go, the newest stays', () => {
    const run = ['Bash', { command: 'npm test' }] as const
    expect(cleared(work(run, run, run))).toEqual([
      '0 [Bash npm test: same output as a later call]',
      '1 [Bash npm test: same output as a later call]',
    ])
  })

  test('count as repeated whatever the host writes around them', () => {
    const framed = (id: string) =>
      `Chunk ID: ${id}\nWall time: 0.${id} seconds\nProcess exited with code 0\nOutput:\n${CONTENT}`
    const run = (id: string) => ['exec_command', { cmd: 'git diff' }, framed(id)] as const
    expect(cleared(work(run('1'), run('2')))).toHaveLength(1)
  })

  test('beyond the newest of their tool go', () => {
    const run = (count: number) =>
      ['Bash', { command: `run ${count}` }, `${count} ${CONTENT}`] as const
    const steps = [run(1), read('a.ts'), run(2), run(3)]
    expect(cleared(work(...steps), createHighDensity({ keepResults: 2 }))).toEqual([
      '0 [Bash run 1: cleared, newer results of this tool follow]',
    ])
  })

  test('that failed are said to have failed', () => {
    const failed = ['Bash', { command: 'npm test' }, `Exit code 1\n${CONTENT}`, true] as const
    const base = work(failed, ['Bash', { command: 'ls' }, `x${CONTENT}`])
    expect(cleared(base, createHighDensity({ keepResults: 1 }))[0]).toContain(
      '[Bash npm test: failed, ',
    )
  })

  test('with an image go as a whole', () => {
    const base = work(read('a.png'), write('a.png'))
    const messages = base.messages.map((message) =>
      message.role === 'tool' ? withImage(message) : message,
    )
    const after = clear(noRecency, { ...base, messages })
    expect(outputsOf(after)['0']).toBe('[Read a.png: superseded by a later edit]')
  })

  test('shorter than a stub stay', () => {
    expect(cleared(work(read('a.ts', 'short'), write('a.ts')))).toEqual([])
  })

  test('of the newest answer stay', () => {
    const base = work(read('a.ts'), read('a.ts'), read('a.ts'))
    const unread = { ...base, messages: base.messages.slice(0, -1) }
    expect(cleared(unread, createHighDensity({ keepResults: 0 })).map((line) => line[0])).toEqual([
      '0',
      '1',
    ])
  })

  test('keep their mark of an error and their native block', () => {
    const base = work(read('a.ts'), write('a.ts'))
    const result = {
      ...answer('0', CONTENT, true).parts[0]!,
      native: { type: 'tool_result', cache_control: {} },
    }
    const messages = base.messages.with(2, { role: 'tool', origin: 'environment', parts: [result] })
    const [part] = clear(noRecency, { ...base, messages }).messages[2]!.parts
    expect(part).toMatchObject({ type: 'tool-result', isError: true, native: result.native })
  })
})

function withImage(message: Message): Message {
  const [part] = message.parts
  return part?.type === 'tool-result' ? answer(part.callId, [...part.output, image()]) : message
}

describe('inclusions of files', () => {
  const inclusion = (path: string) => `--- ${path} ---\n${CONTENT}\n--- End of content ---`
  const talk = (...texts: readonly string[]) =>
    conversationOf([...texts.flatMap((text) => [person(text), agent('ok')]), person('last')])
  const texts = (conversation: Conversation) =>
    clear(highDensity, conversation).messages.flatMap(({ parts }) =>
      parts.map((part) => (part.type === 'text' ? part.text : '')),
    )

  test('that a later one repeats go, the words around them stay', () => {
    const [first, , second] = texts(talk(`look\n${inclusion('a.ts')}\nplease`, inclusion('a.ts')))
    expect(first).toBe('look\n[file a.ts: included again later]\nplease')
    expect(second).toBe(inclusion('a.ts'))
  })

  test('of other content stay', () => {
    const other = inclusion('a.ts').replace('code 1 ', 'changed ')
    expect(texts(talk(other, inclusion('a.ts')))[0]).toBe(other)
  })

  test('without a closing mark are text like any other', () => {
    const open = `--- a.ts ---\n${CONTENT}`
    expect(texts(talk(open, open, `${CONTENT}\n--- End of content ---`))[0]).toBe(open)
  })

  test('of the last request stay, even twice', () => {
    const last = `${inclusion('a.ts')}\n${inclusion('a.ts')}`
    const conversation = conversationOf([person('start'), agent('ok'), person(last)])
    expect(clear(highDensity, conversation)).toBe(conversation)
  })
})

describe('createHighDensity', () => {
  test('clears what is repeated before what is stale, and no more than is needed', () => {
    const base = work(read('b.ts'), write('b.ts'), read('a.ts'), read('a.ts'))
    const oneLess = viewOf(base).tokensBefore.at(-1)! - 10
    const after = clear(highDensity, base, oneLess)
    expect(Object.entries(outputsOf(after)).filter(([, output]) => output.startsWith('['))).toEqual(
      [['2', '[Read a.ts: same output as a later call]']],
    )
  })

  test('leaves all alone when every part is turned off', () => {
    const off = createHighDensity({
      keepResults: Infinity,
      clearsStaleReads: false,
      clearsDuplicates: false,
    })
    const base = work(read('a.ts'), read('a.ts'), write('a.ts'))
    expect(off.plan(viewOf(base), { targetTokens: 0 })).toEqual({ noop: 'nothing-eligible' })
  })

  test('refuses a number of results that counts nothing', () => {
    expect(() => createHighDensity({ keepResults: Number.NaN })).toThrow('keepResults is NaN')
  })

  test('takes time in proportion to the history', { tags: 'slow' }, async () => {
    const steps = (count: number) =>
      work(
        ...Array.from({ length: count }, (_, index) =>
          index % 2 ? write(`${index % 50}.ts`) : read(`${index % 50}.ts`),
        ),
      )
    await expectLinearGrowth(
      (count) => viewOf(steps(count)),
      (view) => highDensity.plan(view, { targetTokens: 0 }),
      500,
    )
  })
})
