import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { splitBlocks } from '../facts/answer-blocks.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

const blocksOf = (text: string, longest = 1_000) =>
  splitBlocks(text, longest, () => true).map((lines) => lines.map((line) => line.text))

describe('blocks of words', () => {
  test('a paragraph is one block, and a list goes with the line it hangs on', () => {
    const text =
      'All is done.\nIt took a while.\n\nTwo things changed:\n\n- The parser is strict.\n\n- The cache is gone.'
    expect(blocksOf(text)).toEqual([
      ['All is done.', 'It took a while.'],
      ['Two things changed:', 'The parser is strict.', 'The cache is gone.'],
    ])
  })

  test('a title with nothing below it is left out', () => {
    expect(blocksOf('It works now.\n\n## Next steps')).toEqual([['It works now.']])
  })

  test('what is longer than a block is cut between lines, and the title goes with its first lines', () => {
    const items = [1, 2, 3].map((number) => `- item ${number} ${'is described here '.repeat(4)}`)
    const blocks = blocksOf(['It all went well here.', 'Items:', ...items].join('\n'), 100)
    expect(blocks.map((lines) => lines.length)).toEqual([1, 2, 1, 1])
    expect(blocks[1]?.[0]).toBe('Items:')
  })

  test('a bold title with a remark in brackets goes with what is below it', () => {
    const below = '`clear()` keeps them:\n- 3 before\n- 3 after'
    expect(blocksOf(`**What happens now** (nothing changed)\n\n${below}`)).toEqual([
      ['**What happens now** (nothing changed)', '`clear()` keeps them:', '3 before', '3 after'],
    ])
  })

  test('columns that a program printed stay, and tabs are spaces', () => {
    const printed = '-f, --force    Overwrite files\n-q\tQuiet'
    const quoted = ['-f, --force    Overwrite files', '-q Quiet']
    expect(blocksOf(`\`\`\`\n${printed}\n\`\`\``)).toEqual([quoted])
    expect(blocksOf(quoted.map((line) => `\t${line}`).join('\n'))).toEqual([quoted])
  })

  test('code stands with its title, and not in one block with other prose', () => {
    expect(blocksOf('Run this here:\n```\nnpm test\n```\nThen you are done.')).toEqual([
      ['Run this here:', 'npm test'],
      ['Then you are done.'],
    ])
  })
})

describe('blocks of words, what belongs together', () => {
  const table = '| run | ms |\n|---|---|\n| 1 | 641.6 |\n\n'

  test('a paragraph that limits a table or numbers stays with them', () => {
    const limit = "**Don't compare these.** The machine was busy."
    expect(blocksOf(`${table}${limit}`)).toEqual([['| run | ms |', '| 1 | 641.6 |', limit]])
    expect(blocksOf(`- 641.6 ms\n\n${limit}`, 20)).toEqual([['641.6 ms', limit]])
    expect(blocksOf(`${table}All of it is in the folder.`)).toHaveLength(2)
    expect(blocksOf(`It was fast.\n\n${limit}`)).toHaveLength(2)
  })

  test('a title falls with what it announces', () => {
    const text = 'Committed with this message:\n\nFix it all.\n\nNotably, it was fast.'
    const without = (dropped: string) =>
      splitBlocks(text, 1_000, (line) => line.text !== dropped).map((lines) =>
        lines.map((line) => line.text),
      )
    expect(without('')).toHaveLength(2)
    expect(without('Fix it all.')).toEqual([['Notably, it was fast.']])
  })

  test('what follows a line that was left out does not join the block before', () => {
    const text = 'The first one.\n\nLeft out.\nIt goes on here.'
    const lines = splitBlocks(text, 1_000, (line) => line.text !== 'Left out.')
    expect(lines).toHaveLength(2)
  })
})

describe('digest, the report on the last turn', () => {
  const report = [
    'The relay now sends ref updates in batches, so servers with a cap accept them.',
    '',
    'What is left:',
    '- The batch size is not yet configurable.',
    '- Nobody ran it against a real server.',
  ].join('\n')
  const noise = step(
    'Read',
    { file_path: 'a.ts' },
    Array.from(
      { length: 300 },
      (_, row) => `${row + 1}→const value_${row} = readField('field_${row}')`,
    ).join('\n'),
  )
  const expected = [
    '[1]',
    '- The relay now sends ref updates in batches, so servers with a cap accept them.',
    '- What is left:',
    '  - Nobody ran it against a real server.',
  ]

  test('stands whole, a list below the line it hangs on', async () => {
    const text = await digestOf([person('Fix it.'), ...noise, agent(report), person('Thanks.')], {
      targetTokens: 500,
    })
    expect(sectionOf(text, /conversation/)).toEqual(expected)
    // What is open is told once, where things stand.
    expect(sectionOf(text, /Where things stand/)).toContain(
      '- Open: The batch size is not yet configurable.',
    )
  })

  test('is carried on as it stood', async () => {
    const first = await digestOf([person('Fix it.'), agent(report)])
    const second = await digestOf([createSummaryMessage(first), person('Thanks.')])
    expect(sectionOf(second, /conversation/)).toEqual(expected)
  })

  test('any number of titles is read', { tags: 'slow' }, () => {
    const titles = 'Ab\n'.repeat(130_000)
    expect(blocksOf(titles)).toEqual([])
    expect(blocksOf(`It is done.\n${titles}`, 0)).toEqual([['It is done.']])
  })
})
