import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { countTokens, digestOf, sectionOf, step } from './spans.suite.ts'

const OPTIONS = [
  '**A: a pre-pass in `parseRawArgs`**',
  '- Risk: low, since a value keeps its token.',
  '',
  '**B: the tokens of Node**',
  '- Risk: medium, since negation is rewritten.',
  '',
  'I would take A because 109 of 110 tests pass with it.',
].join('\n')

const read = (name: string) =>
  step(
    'Read',
    { file_path: `${name}.ts` },
    Array.from(
      { length: 200 },
      (_, row) => `${row + 1}→const ${name}${row} = readField('${name}_${row}')`,
    ).join('\n'),
  )

const dialogue: Message[] = [
  person('Where would you fix it? Give me options A and B with their risk.'),
  ...read('first'),
  agent(OPTIONS),
  person('B, but only for numbers.'),
  ...read('second'),
  agent('Nothing in the repository changed.\n\nThe median is 641.6 ms, measured over five runs.'),
  person('Now the readme.'),
  ...read('third'),
]

describe('digest, answers', () => {
  test('what was chosen and what was turned down stand, and not that nothing changed', async () => {
    const text = sectionOf(await digestOf(dialogue, { targetTokens: 700 }), /conversation/).join(
      '\n',
    )
    expect(text).toContain('- **A: a pre-pass in `parseRawArgs`**\n  - Risk: low')
    expect(text).toContain('- **B: the tokens of Node**\n  - Risk: medium')
    expect(text).toContain('641.6 ms')
    expect(text).not.toContain('Nothing in the repository')
  })

  test('stand after eight generations of compaction', async () => {
    let text = await digestOf(dialogue, { targetTokens: 700 })
    const ledger = [
      '> [1] Give me options A and B with their risk.',
      '> [2] B, but only for numbers.',
    ]
    for (let generation = 0; generation < 8; generation++) {
      const later = [person(`Go on with part ${generation}.`), ...read(`part${generation}x`)]
      text = await digestOf(
        [createSummaryMessage(text, ['## The words of the user', ...ledger].join('\n')), ...later],
        { targetTokens: 700, turns: new Map(later.map((one) => [one, generation + 3])) },
      )
    }
    expect(text).toContain('- **A: a pre-pass in `parseRawArgs`**\n  - Risk: low')
    expect(text).toContain('- **B: the tokens of Node**')
  })

  test('lines of files and output take a tenth while one is left out', async () => {
    const answers = Array.from({ length: 12 }, (_, part) => [
      person(`How many fields has part${part}, and in which line?`),
      ...read(`part${part}y`),
      agent(
        [
          `Part ${part} has ${part + 200} fields in \`part${part}.ts:${part + 10}\`:`,
          ...[1, 2, 3, 4].map(
            (row) => `- ${part * 9 + row} of kind${part}_${row} since line ${part * 70 + row}`,
          ),
        ].join('\n'),
      ),
    ]).flat()
    const text = await digestOf([...answers, person('Go on.')], { targetTokens: 400 })
    const lines = [...sectionOf(text, /Files read/), ...sectionOf(text, /Seen/)].join('\n')
    expect(countTokens(lines)).toBeLessThanOrEqual(40)
    expect(sectionOf(text, /conversation/).length).toBeGreaterThan(8)
  })

  test('a command is quoted without its heredoc, with what it does', async () => {
    const body = Array.from({ length: 40 }, (_, row) => `print(${row})`).join('\n')
    const command = `cat > /tmp/a.py <<'E'\n${body}\nE\npython3 /tmp/a.py`
    const span = step('Bash', { command, description: 'Print forty numbers' }, 'a\nb')
    const first = await digestOf([person('Go.'), ...span, person('Go on.')])
    const expected = "cat > /tmp/a.py <<'E' … python3 /tmp/a.py … # Print forty numbers"
    expect(first).toContain(expected)
    expect(first).not.toContain('print(1)')
    expect(await digestOf([createSummaryMessage(first), person('Go on.')])).toContain(expected)
  })

  test('that scripts are somewhere is left out', async () => {
    const words = [
      'The window is reset twice, see `window.ts:255`.',
      '',
      'Reproductions: `carry.mjs`, `edge.mjs` and `mock.mjs` in `/home/dev/scratch/bench`.',
    ].join('\n')
    const text = await digestOf([person('Is there a bug?'), agent(words), person('Go on.')])
    expect(text).toContain('reset twice')
    expect(text).not.toContain('Reproductions')
  })

  test('scratch files are one line, also when it is read again', async () => {
    const write = (file_path: string) =>
      step('Write', { file_path, content: 'let limit = 1' }, 'ok')
    const span = [
      person('Measure it.'),
      ...write('/home/dev/scratch/a.mts'),
      ...write('/home/dev/scratch/b.mts'),
      ...write('/app/src/limit.ts'),
      person('Go on.'),
    ]
    const first = await digestOf(span, { workingDirectory: '/app' })
    const expected = '- 2 scratch files (created): /home/dev/scratch: b.mts, a.mts'
    expect(sectionOf(first, /changed/)).toContain(expected)
    expect(sectionOf(first, /Where things stand/).join('\n')).not.toContain('scratch')
    const second = await digestOf([createSummaryMessage(first)], { workingDirectory: '/app' })
    expect(sectionOf(second, /changed/)).toContain(expected)
  })

  test('an edit that the user refused is named as refused, also when it is read again', async () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
    const edit = { file_path: 'src/a.ts', old_string: 'a', new_string: 'const refusedLimit = 1' }
    const first = await digestOf([
      person('Change it.'),
      ...step('Edit', edit, refusal, { isError: true }),
    ])
    const expected = ['- src/a.ts (edit refused by the user)']
    expect(sectionOf(first, /changed/)).toEqual(expected)
    expect(first).not.toContain('refusedLimit')
    const second = await digestOf([createSummaryMessage(first), person('Go on.')])
    expect(sectionOf(second, /changed/)).toEqual(expected)
  })
})
