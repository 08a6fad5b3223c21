import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import { type ContentPart, type Message, readText } from '../conversation/message.ts'
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

const CHOICES = [
  {
    answer: OPTIONS,
    reply: 'B, but only for numbers.',
    names: ['a pre-pass in', 'the tokens of Node'],
    chosen: 1,
    details: [['Risk: low'], ['Risk: medium']],
  },
  {
    answer:
      'There are three ways:\n- A: a pre-pass over all tokens\n- B: the tokens of Node\n- C: one shared scanner\n\nI would take A.',
    reply: 'I like the third one better.',
    names: ['a pre-pass over', 'the tokens of', 'one shared scanner'],
    chosen: 2,
    details: [[], [], []],
  },
  {
    answer:
      '### Vorschlag 1: Ereignisse\n1. Jede Aufgabe meldet `timing`.\n2. Nichts bleibt im Speicher.\n\n### Vorschlag 2: Summen\n1. Die Option `trackStats` zählt mit.\n2. Der Speicher bleibt gleich groß.',
    reply: 'Ich nehme Vorschlag 2.',
    names: ['Ereignisse', 'Summen'],
    chosen: 1,
    details: [
      ['meldet `timing`', 'Nichts bleibt'],
      ['`trackStats` zählt', 'gleich groß'],
    ],
  },
]

const TALKS = [
  {
    request: 'Where would you fix it? Give me options A and B with their risk.',
    answer: OPTIONS,
    reply: 'B, but only for numbers.',
    stands: ['A: a pre-pass in `parseRawArgs`', 'B: the tokens of Node', 'Risk: medium'],
  },
  {
    request: 'How long do 30 000 tasks take? Tell me the median, five runs.',
    answer:
      '| code | median |\n|---|---|\n| as it was | 641.6 ms |\n| changed | 464.7 ms |\n\n**Do not compare these two.** The machine was busy.',
    reply: 'Later, write the numbers you measured into BENCH.md.',
    stands: ['641.6 ms', '464.7 ms', 'Do not compare these two'],
  },
  {
    request: 'Why is it slow? Tell me what you would do about it.',
    answer:
      'The `recordRunTime` closure costs most, about 9 ms.\n\n**What I would do:** make `startedAt` a local variable of `run`.',
    reply: 'Good, do it the way you suggested, after lunch.',
    stands: ['`recordRunTime` closure', 'make `startedAt` a local variable'],
  },
  {
    request: 'Think of a name for the option and tell me.',
    answer: 'I would call it `strictLimit`, because `limit` is taken in `options.ts:12`.',
    reply: 'Then document strictLimit in the readme.',
    stands: ['`strictLimit`, because `limit` is taken'],
  },
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

  test.each(CHOICES)(
    'of a choice all proposals are named or none, and the chosen one has the most: $reply',
    async (choice) => {
      const { answer, names, chosen, details } = choice
      const span = [
        person('How would you fix it? Give me some options.'),
        ...read('first'),
        agent(answer),
        person(choice.reply),
        ...read('second'),
      ]
      let most = 0
      for (let targetTokens = 60; targetTokens < 900; targetTokens += 40) {
        const text = await digestOf(span, { targetTokens })
        const named = names.filter((name) => text.includes(name))
        expect([0, names.length]).toContain(named.length)
        const told = details.map((group) => group.filter((one) => text.includes(one)).length)
        expect(Math.max(...told)).toBe(told[chosen])
        most = Math.max(most, told[chosen]!)
      }
      expect(most).toBe(details[chosen]!.length)
    },
  )

  test('an item never stands under another one than its own, also when it is read again', async () => {
    const kinds = ['first', 'second', 'third', 'fourth']
    const list = kinds.flatMap((kind, at) => [
      `${at + 1}. **The ${kind} case** of them`,
      `   - it happens in \`${kind}.ts:${at + 10}\` after ${at + 20} ms`,
      `   - the ${kind} fix takes ${at + 30} lines`,
    ])
    const span = [
      person('Which cases are there, and where?'),
      ...read('first'),
      agent(`Great question!\n\nFour cases are left:\n\n${list.join('\n')}`),
      person('Go on.'),
    ]
    let told = 0
    for (let targetTokens = 60; targetTokens < 500; targetTokens += 20) {
      const first = await digestOf(span, { targetTokens })
      for (const text of [first, await digestOf([createSummaryMessage(first), person('Go.')])]) {
        expect(text).not.toContain('Great')
        let above = ''
        for (const line of sectionOf(text, /conversation/)) {
          if (/ {2}- \d/.test(line)) above = line
          const kind = kinds.find((one) => / {4}- /.test(line) && line.includes(one))
          if (kind) expect(above).toContain(`The ${kind} case`)
          if (kind) told++
        }
      }
    }
    expect(told).toBeGreaterThan(100)
  })

  test.each(TALKS)(
    'what later words speak of stands after eight generations: $reply',
    async (talk) => {
      const { request, answer, reply, stands } = talk
      const span = [
        person(request),
        ...read('first'),
        agent(answer),
        person(reply),
        ...read('next'),
      ]
      let text = await digestOf(span, { targetTokens: 700 })
      const ledger = ['## The words of the user', `> [1] ${request}`, `> [2] ${reply}`].join('\n')
      for (let generation = 0; generation < 8; generation++) {
        const later = [
          person(`Explain part ${generation}.`),
          ...read(`part${generation}x`),
          agent(`Part ${generation} has ${generation + 20} fields in \`part${generation}.ts:9\`.`),
        ]
        text = await digestOf([createSummaryMessage(text, ledger), ...later], {
          targetTokens: 700,
          turns: new Map(later.map((one) => [one, generation + 3])),
        })
        for (const one of stands) expect(text).toContain(one)
      }
    },
  )

  test('how many items of a list are left out is told, also when it is read again', async () => {
    const places = Array.from({ length: 30 }, (_, row) => row + 1)
    const list = places.map((row) => `- case ${row} is in \`case${row}.ts:${row + 40}\``)
    const span = [
      person('Which cases are left?'),
      ...read('first'),
      agent(['Thirty cases are left:', '', ...list].join('\n')),
      person('Go on.'),
    ]
    let partly = 0
    for (let targetTokens = 80; targetTokens < 900; targetTokens += 80) {
      const first = await digestOf(span, { targetTokens })
      const again = [createSummaryMessage(first), person('Go.')]
      for (const text of [first, await digestOf(again, { targetTokens: 150 })]) {
        const told = sectionOf(text, /conversation/)
        const shown = told.filter((line) => line.includes('case')).length
        const left = told.flatMap((line) => /^ {2}… (\d+) more$/.exec(line)?.[1] ?? [])
        if (told.length > 0 && shown < 30) expect(shown - 1 + Number(left[0])).toBe(30)
        if (shown === 31) expect(left).toEqual([])
        expect(left.length).toBeLessThanOrEqual(1)
        partly += left.length
      }
    }
    expect(partly).toBeGreaterThan(6)
  })

  test('what only leads up to an answer, and that nothing changed, is left out of it', async () => {
    const words = [
      "Here's what I found:",
      '',
      'The closure costs 9 ms. Nothing is fixed; the repository is unchanged since your last message.',
      '',
      'Let me summarize the plan:',
      '',
      "Here's the current flow: `parse` then `bind`.",
    ].join('\n')
    const text = await digestOf([
      person('Where does it come from?'),
      agent(words),
      person('Go on.'),
    ])
    expect(sectionOf(text, /conversation/)).toEqual([
      '[1]',
      '- The closure costs 9 ms.',
      "- Here's the current flow: `parse` then `bind`.",
    ])
  })

  test('a number does not outlive the one that was measured later', async () => {
    const measured = (time: string) =>
      agent(`With the option on, 30 000 tasks take ${time} ms in the median of five runs.`)
    const span = [
      person('How long do 30 000 tasks take?'),
      ...read('first'),
      measured('641.6'),
      ...Array.from({ length: 9 }, (_, part) => [
        person(`How many fields has part${part}?`),
        ...read(`part${part}z`),
        agent(`Part ${part} has ${part + 20} fields in \`part${part}.ts:9\`.`),
      ]).flat(),
      person('Measure it again.'),
      ...read('second'),
      measured('464.7'),
      person('Go on.'),
    ]
    for (let targetTokens = 60; targetTokens < 700; targetTokens += 20) {
      const text = await digestOf(span, { targetTokens })
      if (text.includes('641.6')) expect(text).toContain('464.7')
    }
  })

  test('lines of files and output take less than a tenth while one is left out', async () => {
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

  test('words before a refusal do not stand as its answer, also when they are read again', async () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nNot in that file."
    const edit = { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }
    const words = 'The limit belongs into `src/a.ts:12`, because the parser reads it there first.'
    const first = await digestOf([
      person('Where does the limit belong?'),
      ...step('Edit', edit, refusal, { isError: true, words }),
      agent('Then it belongs into `src/b.ts:30`, because the reader is created there.'),
      person('Go on.'),
    ])
    const expected = ['[1, at first]', `- ${words}`, '[1]']
    expect(sectionOf(first, /conversation/).slice(0, 3)).toEqual(expected)
    const ledger = ['## The words of the user', '> [1] Where?', '> [1, refusing Edit] Not there.']
    const again = createSummaryMessage(first, ledger.join('\n'))
    const second = await digestOf([again, person('Go on.')])
    expect(sectionOf(second, /conversation/).slice(0, 3)).toEqual(expected)
  })

  test('a turn without words is named by what the user showed in it, also when it is read again', async () => {
    const image: ContentPart = { type: 'image', mediaType: 'image/png', bytes: 9 }
    const show = (...parts: ContentPart[]): Message => ({ role: 'user', origin: 'user', parts })
    const file: ContentPart = { type: 'text', text: '[file application/pdf, 1 KB: cleared]' }
    const found = (name: string) => agent(`It fails because \`${name}\` is undefined.`)
    const first = await digestOf([
      show(image),
      found('parseIt'),
      show(file, image),
      found('readIt'),
      show(image, { type: 'text', text: 'And here?' }),
      found('writeIt'),
    ])
    const expected = ['[1] (image)', '[2] (image and file)', '[3]']
    const headings = (text: string) =>
      sectionOf(text, /conversation/).filter((line) => line.startsWith('['))
    expect(headings(first)).toEqual(expected)
    const again = createSummaryMessage(first, '## The words of the user\n> [3] And here?')
    expect(readText(again)).toContain('## The conversation\n[1] (image)\n- It fails')
    expect(headings(await digestOf([again, person('Go on.')]))).toEqual(expected)
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

describe('the room of a digest', () => {
  test('what its lines take less together than alone is filled', async () => {
    const shares: number[] = []
    for (let targetTokens = 1_300; targetTokens < 1_600; targetTokens += 100)
      shares.push(countTokens(await digestOf(dialogue, { targetTokens })) / targetTokens)
    expect(Math.min(...shares)).toBeGreaterThan(0.97)
  })
})

describe('the form that was asked for', () => {
  const answer = [
    'The function is `suggest`, in `src/suggest.ts`, and nothing calls it yet.',
    '',
    '```ts',
    'export function suggest(input: string, candidates: Candidate[]): string[]',
    '```',
    '',
    ...['The order', 'The distance', 'The tests', 'The limits', 'The names'].map(
      (about) =>
        `${about} are told in \`test/suggest.test.ts\`, of which 22 of 22 cases pass in 310 ms, and nothing else needs a change for it.\n`,
    ),
  ].join('\n')
  const session = (request: string): Message[] => [
    person(request),
    ...read('first'),
    agent(answer),
    person('Now the readme.'),
    ...read('second'),
    agent('The readme has a section on it.'),
    person('Go on.'),
  ]
  const kept = async (request: string) =>
    sectionOf(await digestOf(session(request), { targetTokens: 130 }), /The conversation/).join(
      '\n',
    )

  test('a signature stays before what else was said, where it was asked for', async () => {
    expect(await kept('Write the function, and tell me its name and its signature.')).toContain(
      'export function suggest(input: string',
    )
    expect(await kept('Write the function, and tell me its name.')).not.toContain(
      'export function suggest(input: string',
    )
  })
})

test('an answer is about the requests before it that got none', async () => {
  const table = '| tasks | median |\n|---|---|\n| 30 000 | 641.6 ms |\n| 60 000 | 1290.2 ms |'
  const said = ['The lock is held for long.', 'The queue is a list.', 'The timer is coarse.']
  const others = said.map((text) => `${text} ${'It was so before, and it stays so. '.repeat(3)}`)
  const answer = [...others, table].join('\n\n')
  const told = async (...requests: string[]) =>
    digestOf(
      [
        ...requests.flatMap((request) => [person(request), ...read('a')]),
        agent(answer),
        ...['Go on.', 'And now?', 'Fine.'].flatMap((text) => [person(text), ...read('b')]),
      ],
      { targetTokens: 130 },
    )
  const asks = 'Show me a table of the medians.'
  expect(await told(asks, 'For 60 000 too, please.')).toContain('1290.2 ms')
  expect(await told('Look at the queue.', 'For 60 000 too, please.')).not.toContain('1290.2 ms')
})

describe('code', () => {
  const target = ['targets:', '  - name: pi-sdk', '    provider: openai', '', '    grader: main']
  const indented = target.map((line) => (line === '' ? '' : `  ${line}`))
  const answer = [
    'Change just that block to:',
    '',
    '  ```yaml',
    ...indented,
    '  ```',
    '',
    'The CLI stays as it is, because it has no base URL.',
  ].join('\n')
  const stands = [
    '- Change just that block to:',
    ...target.filter((line) => line !== '').map((line) => `\t${line}`),
  ]
  const messages = [person('What do I change?'), ...read('first'), agent(answer), person('Go on.')]
  const told = async (span: readonly Message[], kept: readonly Message[] = []) =>
    sectionOf(await digestOf([...span, ...read('b')], { kept }), /conversation/)

  test('stays whole and indented, though some of its lines stand elsewhere', async () => {
    const kept = [agent('Done:\n\n```yaml\n  - name: pi-sdk\n    provider: openai\n```')]
    const lines = await told(messages, kept)
    const from = lines.indexOf(stands[0]!)
    expect(lines.slice(from, from + stands.length)).toEqual(stands)
  })

  test('is left out where all of it stands elsewhere', async () => {
    const lines = await told(messages, [agent(answer)])
    expect(lines.join('\n')).not.toContain('pi-sdk')
  })

  test('stays so in the next digest', async () => {
    const text = await digestOf([...messages, ...read('b')])
    const again = await told([createSummaryMessage(text), person('And the readme?')])
    const from = again.indexOf(stands[0]!)
    expect(again.slice(from, from + stands.length)).toEqual(stands)
  })
})

describe('short answers', () => {
  test.each([
    ['Gib mir zwei Vorschläge.', 'Nehmen wir A.'],
    ['Dame dos propuestas.', 'Recomiendo A.'],
    ['Дай два варианта.', 'Рекомендую A.'],
    ['给我两个方案。', '我建议方案A。'],
    ['案を二つ提案してください。', '案Aがおすすめです。'],
  ])('a sentence that ends is no title of what does not follow: %s', async (request, answer) => {
    const messages = [
      person(request),
      ...read('first'),
      agent(answer),
      person('next'),
      ...read('b'),
    ]
    const text = await digestOf(messages, { targetTokens: 2_000 })
    expect(sectionOf(text, /conversation/).join('\n')).toContain(answer)
  })
})

describe('digest, findings between calls', () => {
  const POINTS = ['lock race', 'missing timeout', 'long argument', 'stale lock', 'hash of names']
  const verdicts = (lead: string) =>
    [
      lead,
      '',
      ...POINTS.map(
        (point, row) =>
          `${row + 1}. **${point}**: valid, seen in \`run${row}\`, so worth a change before the release.`,
      ),
      '',
      'Let me change them.',
    ].join('\n')
  const turn = (lead: string): Message[] => [
    person('Check the review for validity first.'),
    ...step('Bash', { command: 'cat review.md' }, 'five points', {
      words: 'I look at the review.',
    }),
    ...step('Edit', { file_path: 'run.ts', old_string: 'a', new_string: 'lockFile()' }, 'ok', {
      words: verdicts(lead),
    }),
    ...read('first'),
    ...read('second'),
  ]
  const told = async (lead: string, after: Message[]) => {
    const span = [...turn(lead), ...after]
    const kept = read('third')
    let number = 0
    const turns = new Map(
      [...span, ...kept].map((message) => [message, message.role === 'user' ? ++number : number]),
    )
    const text = await digestOf(span, { kept, turns, targetTokens: 420 })
    const lines = sectionOf(text, /conversation/).join('\n')
    return POINTS.filter((point) => lines.includes(point)).length
  }

  test.each([
    ['a verdict on each point stands while its turn goes on', 'Let me evaluate each issue:', 5],
    ['thoughts on what to do next are no findings', 'Let me see what runs now. It may be:', 0],
  ])('%s', async (_, lead, expected) => {
    expect(await told(lead, [])).toBe(expected)
  })

  test('what files were changed for gives way when the turn has its answer', async () => {
    const closing = [
      agent('All five are changed, and `npm test` passes.'),
      person('Now the readme.'),
    ]
    expect(await told('Let me evaluate each issue:', closing)).toBeLessThan(5)
  })
})

// With a focus each item is looked at alone.
test.each([
  ['with a focus', { instructions: 'the cache' }, ['- Let me check the cache first.']],
  [
    'of several blocks',
    { targetTokens: 400 },
    Array.from(
      { length: 14 },
      (_, row) => `- I'll move the handling of case number ${row} from the router to its own part.`,
    ),
  ],
])('a list that begins with announcements has an end, %s', async (_, request, announced) => {
  const list = [...announced, '- The cache lacks a key, so it stays empty.'].join('\n')
  const text = await digestOf([person('Why?'), agent(list), person('Go on.')], request)
  expect(text).toContain('The cache lacks a key')
})
