import { describe, expect, test } from 'vitest'
import { agent, injected, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { digestOf, sectionOf, step, stepsOf } from './spans.suite.ts'

const work = (round: number): Message[] => [
  person(`Request ${round}: never touch table_${round}.`),
  ...step(
    'Edit',
    {
      file_path: `src/part${round}.ts`,
      old_string: 'a',
      new_string: `export const part${round}Value = ${round}`,
    },
    'ok',
    {
      words: `Part ${round} was missing.`,
    },
  ),
  ...step('Bash', { command: `npm run check-${round}` }, ''),
  agent(`Round ${round} is finished because check${round}Passed.`),
]

describe('digest of a digest', () => {
  test('merges the earlier one section by section', async () => {
    const first = await digestOf(work(1))
    const later = work(2)
    const second = await digestOf([createSummaryMessage(first), ...later, person('Go on.')], {
      turns: new Map(later.map((one) => [one, 2])),
    })
    expect(sectionOf(second, /conversation/)).toEqual([
      '[1]',
      '- Round 1 is finished because check1Passed.',
      '[2]',
      '- Round 2 is finished because check2Passed.',
    ])
    expect(sectionOf(second, /changed/)).toEqual([
      '- src/part2.ts (edited)',
      '  Part 2 was missing.',
      '\texport const part2Value = 2',
      '- src/part1.ts (edited)',
      '  Part 1 was missing.',
      '\texport const part1Value = 1',
    ])
    expect(sectionOf(second, /Commands/)).toEqual([
      '- npm run check-1 → ok',
      '- npm run check-2 → ok',
    ])
    expect(second.match(/^## /gm)).toHaveLength(new Set(second.match(/^## .*$/gm)).size)
  })

  test('adds what was done before to what was done since', async () => {
    const edit = (old_string: string, new_string: string, file_path = 'src/a.ts') =>
      step('Edit', { file_path, old_string, new_string }, 'ok')
    const often = (times: number) =>
      Array.from({ length: times }, (_, index) => [
        ...edit('const limit', `const limit${index} = ${index}`),
        ...step('Bash', { command: 'npm test' }, '3 passed'),
      ]).flat()
    const undo = [['keep(3)', 'keep(4)'] as const, ['keep(4)', 'keep(3)'] as const]
    const others = [
      ...step('Write', { file_path: 'src/new.ts', content: 'const fresh = 1' }, 'ok'),
      ...edit('const fresh = 1', 'const fresh = 2', 'src/new.ts'),
      ...undo.flatMap(([from, to]) => edit(from, to, 'src/undone.ts')),
    ]
    const refused = step(
      'Edit',
      { file_path: 'src/a.ts', old_string: '', new_string: 'x' },
      "The user doesn't want to proceed with this tool use.",
      { isError: true },
    )
    const first = await digestOf([person('Go.'), ...often(12), ...others, ...refused])
    const second = await digestOf([createSummaryMessage(first), person('Go on.')])
    expect(sectionOf(second, /changed/).sort()).toEqual(sectionOf(first, /changed/).sort())
    const third = await digestOf([createSummaryMessage(second), ...often(2), person('Go on.')])
    const lines = [...sectionOf(third, /changed/), ...sectionOf(third, /Commands/)]
    expect(lines).toEqual(
      expect.arrayContaining([
        '- src/a.ts (edited 14×; another edit refused by the user)',
        '- src/new.ts (created, edited)',
        '- src/undone.ts (undone, edited 2×)',
        '- npm test (14×) → "3 passed"',
      ]),
    )
  })

  test('knows the branch and what was made until something else is known', async () => {
    const bash = (command: string, output: string) => step('Bash', { command }, output)
    const placeOf = (text: string) =>
      sectionOf(text, /stand/).filter((line) => /^- (?:Branch|Made)/.test(line))
    const first = await digestOf([
      person('Go.'),
      ...bash('git switch -c fix', "Switched to a new branch 'fix'"),
      ...bash('git commit -am "Add it"', '[fix 1a2b3c4] Add it\n 1 file changed'),
      ...bash('gh pr create --title a --body b', 'https://github.com/o/r/pull/12'),
      ...bash('gh issue create --title a --body b', 'https://github.com/o/r/issues/13'),
    ])
    const known = [
      '- Branch: fix',
      '- Made: commit 1a2b3c4 (made); pull request #12 (open, https://github.com/o/r/pull/12); issue #13 (open, https://github.com/o/r/issues/13)',
    ]
    expect(placeOf(first)).toEqual(known)
    const second = await digestOf([createSummaryMessage(first), ...work(2), person('Go on.')])
    expect(placeOf(second)).toEqual(known)
    const third = await digestOf([
      createSummaryMessage(second),
      ...bash('git push', 'To github.com:o/r.git\n   5d6e7f8..1a2b3c4  fix -> fix'),
      ...bash('gh issue close 13', '✓ Closed issue #13 (a)'),
      ...bash('git switch main', "Switched to branch 'main'"),
      person('Go on.'),
    ])
    expect(placeOf(third)).toEqual([
      '- Branch: main',
      '- Made: commit 1a2b3c4 (pushed); pull request #12 (open, https://github.com/o/r/pull/12)',
    ])
  })

  test('a digest of nothing but a digest says the same', async () => {
    const first = await digestOf([...work(1), person('Go on.')])
    const second = await digestOf([createSummaryMessage(first), person('Go on.')])
    for (const heading of [/conversation/, /changed/, /Commands/])
      expect(sectionOf(second, heading)).toEqual(sectionOf(first, heading))
  })

  test('how a command ended is carried on, and only that', async () => {
    const go = person('Go on.')
    const first = await digestOf([
      person('Go.'),
      ...step('Bash', { command: 'git branch --show-current' }, 'feature/cache'),
      ...step(
        'Bash',
        { command: 'npm run serve' },
        'Command running in background with ID: b1. Output is elsewhere.',
      ),
      ...step('run_shell_command', { command: 'npm run build' }, ''),
      ...step('Bash', { command: 'npm run check' }, ''),
      go,
    ])
    const expected = [
      '- git branch --show-current → "feature/cache"',
      '- npm run serve → still running',
      '- npm run build',
      '- npm run check → ok',
    ]
    expect(sectionOf(first, /Commands/)).toEqual(expected)
    expect(sectionOf(await digestOf([createSummaryMessage(first), go]), /Commands/)).toEqual(
      expected,
    )
  })

  test('an error of the earlier digest goes when its command succeeds', async () => {
    const run = (output: string, isError: boolean) =>
      step('Bash', { command: 'npm test' }, output, { isError })
    const first = await digestOf([
      person('Go.'),
      ...run('Exit code 1\nError: boom happened', true),
      person('Go on.'),
    ])
    const open = ['- npm test → failed (exit 1)', '\tError: boom happened']
    expect(sectionOf(first, /Not resolved/)).toEqual(open)
    const again = await digestOf([createSummaryMessage(first), person('Go on.')])
    expect(sectionOf(again, /Not resolved/)).toEqual(open)
    expect(again.match(/npm test/g)).toHaveLength(1)
    const settled = await digestOf([createSummaryMessage(first), ...run('fine', false)])
    expect(sectionOf(settled, /Not resolved/)).toEqual([])
    expect(stepsOf(settled)).not.toContain('  Error: boom happened')
  })

  test('the error that a command reported before it went well stands beside it, once, also in the next generation', async () => {
    const first = await digestOf([
      person('Go.'),
      ...step(
        'Bash',
        { command: 'npm run types' },
        'Exit code 2\nsrc/a.ts(3,1): error TS2304: Cannot find name',
        {
          isError: true,
        },
      ),
      ...step('Bash', { command: 'npm run types' }, '0 errors'),
      person('Go on.'),
    ])
    const expected = [
      '- npm run types (2×) → "0 errors"; failed before: "src/a.ts(3,1): error TS2304: Cannot find name"',
    ]
    expect(sectionOf(first, /Commands/)).toEqual(expected)
    expect(first.split('TS2304')).toHaveLength(2)
    const second = await digestOf([createSummaryMessage(first), person('And now?')])
    expect(sectionOf(second, /Commands/)).toEqual(expected)
    expect(sectionOf(second, /Not resolved/)).toEqual([])
  })

  test('what stood among the last steps is carried on, each in its place, over three generations', async () => {
    const first = await digestOf([
      person('Make the cache larger.'),
      ...step('Bash', { command: 'npm run bench' }, ''),
      ...step('Bash', { command: 'npm run bench' }, '41 req/s'),
      ...step(
        'Edit',
        { file_path: 'src/cache.ts', old_string: 'a', new_string: 'const cacheSize = 9' },
        'ok',
        {
          words: 'The cache was too small for 9 entries.',
        },
      ),
      ...step('Bash', { command: 'npm test' }, 'Exit code 1\nError: expected 9 entries, got 8', {
        isError: true,
        words: 'The limit is off by one since the header counts.',
      }),
    ])
    expect(stepsOf(first)).toEqual([
      'npm run bench → ok',
      'npm run bench (2×) → "41 req/s"',
      '  The cache was too small for 9 entries.',
      'Edit: src/cache.ts',
      '  The limit is off by one since the header counts.',
      'npm test → failed (exit 1)',
      '  Error: expected 9 entries, got 8',
    ])
    const turn = (number: number): Partial<SummaryRequest> => ({
      turns: new Map([[later, number]]),
    })
    const later = person('Go on.')
    const second = await digestOf(
      [createSummaryMessage(first), later, ...step('Bash', { command: 'make docs' }, '')],
      turn(2),
    )
    const third = await digestOf(
      [createSummaryMessage(second), later, agent('The docs are built.')],
      turn(3),
    )
    for (const text of [second, third]) {
      expect(sectionOf(text, /changed/)).toEqual([
        '- src/cache.ts (edited)',
        '  The cache was too small for 9 entries.',
        '\tconst cacheSize = 9',
      ])
      expect(sectionOf(text, /conversation/).slice(0, 2)).toEqual([
        '[1]',
        '- The limit is off by one since the header counts.',
      ])
      expect(sectionOf(text, /Not resolved/)).toEqual([
        '- npm test → failed (exit 1)',
        '\tError: expected 9 entries, got 8',
      ])
      for (const once of [
        'npm run bench',
        'npm test',
        'too small',
        'off by one',
        'got 8',
        'make docs',
      ])
        expect(text.split(once)).toHaveLength(2)
    }
    expect(sectionOf(third, /Commands/)).toEqual([
      '- npm run bench (2×) → "41 req/s"',
      '- make docs → ok',
    ])
  })

  test('the summary of another summarizer is carried on line by line, its framing is not', async () => {
    const native = [
      'This session is being continued from a previous conversation that ran out of context.',
      'The conversation is summarized below:',
      '1. Primary Request:',
      '   - The user wants `parseInput` to be strict and must not lose comments.',
      '2. Pending Tasks:',
      '   - Port `renderOutput` to streams.',
      'Please continue the conversation from where we left it off without asking the user any further questions.',
    ].join('\n')
    const text = await digestOf([injected(native), person('Go on with the port.')])
    expect(text).toContain('- The user wants `parseInput` to be strict and must not lose comments.')
    expect(text).toContain('- Port `renderOutput` to streams.')
    expect(text).not.toContain('Please continue')
    expect(text).not.toContain('being continued')
  })

  test('what was settled in the time that a model summed up has room of its own, however much came after it', async () => {
    const native = [
      'This session is being continued from a previous conversation that ran out of context.',
      'Analysis:',
      '1. **Design Discussion**: the shape of the record',
      '   - Started with one row a file; the user said "by file is too much"',
      '   - An amend cannot renew it, so we agreed to prefix it with `initial_`',
      '2. **Format Agreed**:',
      '```json',
      '{ "initial_share": { "agent_lines": 142, "human_lines": 12 } }',
      '```',
      '3. Files and Code Sections:',
      '   - `src/share.ts`: the calculation',
      '```ts',
      'const shareOfAgent = countLines(tree) / countLines(commit)',
      '```',
    ].join('\n')
    const later = Array.from({ length: 60 }, (_, round) => [
      ...work(round),
      agent(
        `The root cause of number ${round} was found: cache${round} is filled twice because load${round} runs again.`,
      ),
    ])
    const text = await digestOf([injected(native), ...later.flat()], { targetTokens: 1_200 })
    const conversation = sectionOf(text, /conversation/)
    expect(conversation).toContain(
      '    - An amend cannot renew it, so we agreed to prefix it with `initial_`',
    )
    expect(conversation).toContain(
      '\t{ "initial_share": { "agent_lines": 142, "human_lines": 12 } }',
    )
    expect(conversation.join('\n')).not.toContain('shareOfAgent')
    expect(
      conversation.filter((line) => line.startsWith('- The root cause')).length,
    ).toBeGreaterThan(1)
  })

  test('a call that the user refused is no failure, also when it is read again', async () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
    const span = [
      person('Publish it.'),
      ...step('Bash', { command: 'npm publish --access public' }, refusal, { isError: true }),
      ...Array.from({ length: 12 }, (_, at) =>
        step('Bash', { command: `npm run part${at}` }, `part ${at} done`),
      ).flat(),
    ]
    let text = await digestOf(span)
    for (let generation = 0; generation < 3; generation++) {
      expect(text).toContain('npm publish --access public → refused by the user')
      expect(text).not.toContain('Not resolved')
      expect(text).not.toContain('want to proceed')
      text = await digestOf([createSummaryMessage(text), person('And?'), agent('Nothing new.')])
    }
  })

  test.each([
    [
      'a whole answer',
      [agent('The limiter leaks because `windows` drift.\n\n- **src/late.ts** counts 2 times')],
    ],
    [
      'an answer that the user cut off',
      [
        agent('The limiter leaks because `windows` drift.\n\n- **src/late.ts** counts 2 times'),
        injected('[Request interrupted by user]'),
      ],
    ],
  ])('quotes %s once, which the agent kept next to the earlier summary', async (_, kept) => {
    const turns = (from: readonly Message[], turn: number) =>
      from.map((one) => [one, turn] as const)
    const request = person('Why does it leak?')
    let text = await digestOf([request, ...kept], { turns: new Map(turns([request, ...kept], 1)) })
    for (let turn = 2; turn < 5; turn++) {
      const next = [person(`Go on, ${turn}.`), agent(`Step ${turn} of the work is finished now.`)]
      const summary = createSummaryMessage(text)
      text = await digestOf([summary, ...(turn === 2 ? kept : []), ...next], {
        turns: new Map([...turns([summary, ...kept], turn - 1), ...turns(next, turn)]),
      })
      for (const words of ['The limiter leaks', 'counts 2 times', 'Step 2 of'].slice(0, turn))
        expect(text.split(words)).toHaveLength(2)
    }
  })

  test('an answer that the agent does not say again stays as the earlier summary quotes it', async () => {
    const first = await digestOf([
      person('Why?'),
      agent('The limiter leaks because windows drift.'),
    ])
    const second = await digestOf([
      createSummaryMessage(first),
      agent('The cache is filled 2 times by the loader.'),
      person('Go on.'),
    ])
    expect(second).toContain('The limiter leaks because windows drift.')
    expect(second).toContain('The cache is filled 2 times by the loader.')
  })

  test.each([
    [
      'by precis',
      createSummaryMessage(
        '## Files changed\n- src/cart.ts (edited)\n\tconst cartLimit = 40\n\n## The conversation\n[1]\n- The pool is closed twice.',
        '## The words of the user\n> [1] Why does it leak?',
      ),
    ],
    [
      'by the agent',
      injected('## Discoveries\n- The pool is closed twice.\n\n## Files\n- const cartLimit = 40'),
    ],
  ])('reads a summary that is an answer, %s', async (_, { parts, origin }) => {
    const text = await digestOf([
      injected('What did we do so far?'),
      { role: 'assistant', origin, parts: parts.filter(({ type }) => type === 'text') } as Message,
      person('Go on.'),
      agent('The next step is done.'),
    ])
    expect(text).toContain('The pool is closed twice.')
    expect(text).toContain('const cartLimit = 40')
  })

  test('other words of the host are no summary', async () => {
    const text = await digestOf([
      injected('Say something.'),
      { ...agent('The pool is closed twice.'), origin: 'synthetic' } as Message,
      person('Go on.'),
    ])
    expect(text).not.toContain('The pool is closed twice.')
  })
})
