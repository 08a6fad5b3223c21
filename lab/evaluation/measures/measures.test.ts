import { describe, expect, test } from 'vitest'
import { assistant, call, pointOf, result, scoreOf, user } from '../history.suite.ts'
import { carriedReferences } from './carried-references.ts'
import { commands } from './commands.ts'
import { constraints } from './constraints.ts'
import { directives } from './directives.ts'
import { editAnchors } from './edit-anchors.ts'
import { errors } from './errors.ts'
import { faithfulness } from './faithfulness.ts'
import { fileOperations } from './file-operations.ts'
import { rareReferences } from './rare-references.ts'
import { readFiles } from './read-files.ts'
import { staleness } from './staleness.ts'
import { writtenFiles } from './written-files.ts'

describe('gcrr', () => {
  const line = 'shippingCost adds the handling fee before rounding'
  const point = pointOf([result(line)], [call('Bash', { command: 'grep shippingCost src' })])

  test('counts a name that stands where it stood', () => {
    expect(scoreOf(carriedReferences, point, `noted: ${line}`)).toEqual({ kept: 1, total: 1 })
  })

  test('does not count a name in a list of names', () => {
    expect(scoreOf(carriedReferences, point, 'shippingCost netPrice_1 taxRate_2')).toEqual({
      kept: 0,
      total: 1,
    })
  })

  test('counts a name with half of the words around it', () => {
    expect(scoreOf(carriedReferences, point, 'shippingCost: handling fee rounding')).toEqual({
      kept: 1,
      total: 1,
    })
    expect(scoreOf(carriedReferences, point, 'shippingCost: handling')).toEqual({
      kept: 0,
      total: 1,
    })
  })

  test('demands no name that was seen again before it was used', () => {
    const seen = pointOf(
      [result(line)],
      [result(line), call('Bash', { command: 'grep shippingCost src' })],
    )
    expect(scoreOf(carriedReferences, seen, line)).toEqual({ kept: 0, total: 0 })
  })

  test('demands no name that any project has', () => {
    const known = pointOf(
      [result('see README.md and --oneline for more')],
      [call('Read', { file_path: 'README.md' })],
    )
    expect(known.demanded.size).toBe(0)
  })
})

describe('gcrr_rare', () => {
  test('counts only names in at most three places', () => {
    const often = Array.from({ length: 4 }, (_, at) =>
      result(`netPrice_1 is rounded to cents, note ${at}`),
    )
    const past = [...often, result('taxRate_2 is fixed in the settings table')]
    const point = pointOf(past, [call('Bash', { command: 'grep -e netPrice_1 -e taxRate_2' })])
    expect(scoreOf(rareReferences, point, '').total).toBe(1)
    expect(scoreOf(carriedReferences, point, '').total).toBe(2)
  })
})

describe('ear', () => {
  const edit = call('Edit', {
    file_path: 'a.ts',
    old_string: 'const total = net + tax',
    new_string: 'const total = 0',
  })
  const point = pointOf([result('  12\tconst total = net + tax\n  13\treturn total')], [edit])

  test('counts a line that a later edit replaces when it stands there whole, with or without its number', () => {
    expect(scoreOf(editAnchors, point, '12→const total = net + tax')).toEqual({ kept: 1, total: 1 })
    expect(scoreOf(editAnchors, point, 'now const total = net + tax holds')).toEqual({
      kept: 0,
      total: 1,
    })
  })

  test('demands nothing that was read again', () => {
    const again = pointOf(
      [result('const total = net + tax')],
      [result('const total = net + tax'), edit],
    )
    expect(scoreOf(editAnchors, again, '').total).toBe(0)
  })

  test('takes context and removed lines of a patch', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n context line of code\n-removed line of code\n+new line of code'
    const patched = pointOf(
      [result('context line of code\nremoved line of code')],
      [call('apply_patch', patch)],
    )
    expect(scoreOf(editAnchors, patched, 'removed line of code')).toEqual({ kept: 1, total: 2 })
  })
})

describe('cmd', () => {
  test('counts a command that is run again, whatever its whitespace', () => {
    const run = call('Bash', { command: 'npm run  test:tax' })
    const point = pointOf([run], [run, call('Bash', { command: 'ls' })])
    expect(scoreOf(commands, point, 'ran npm run\ntest:tax twice')).toEqual({ kept: 1, total: 1 })
    expect(scoreOf(commands, point, 'ran the tests')).toEqual({ kept: 0, total: 1 })
  })
})

describe('art_w, art_op, art_r', () => {
  const point = pointOf([
    call('Edit', { file_path: '/work/shop/src/cart.ts', old_string: 'a', new_string: 'b' }),
    call('Read', { file_path: '/work/shop/src/tax.ts' }),
    call('Read', { file_path: '/work/shop/src/cart.ts' }),
    call('apply_patch', '*** Begin Patch\n*** Add File: src/new.ts\n+x'),
  ])

  test('tell files written from files only read', () => {
    const text = 'updated cart.ts; tax.ts'
    expect(scoreOf(writtenFiles, point, text)).toEqual({ kept: 1, total: 2 })
    expect(scoreOf(readFiles, point, text)).toEqual({ kept: 1, total: 1 })
  })

  test('want the verb near the file', () => {
    expect(scoreOf(fileOperations, point, `created new.ts. ${'-'.repeat(90)} cart.ts`)).toEqual({
      kept: 1,
      total: 2,
    })
  })
})

describe('cons', () => {
  const point = pointOf([
    user('Never rename the public exports of the parser. It is sunny.'),
    assistant('You must rest'),
  ])

  test('counts a demand of the person when most of its words stand in one line', () => {
    expect(scoreOf(constraints, point, 'never rename public exports, parser')).toEqual({
      kept: 1,
      total: 1,
    })
    expect(scoreOf(constraints, point, 'never rename\npublic exports\nparser')).toEqual({
      kept: 0,
      total: 1,
    })
  })
})

describe('directives', () => {
  test('counts an instruction for all of the work only word for word', () => {
    const point = pointOf([
      user('Never rename the public exports of the parser.\nCan you look at this please?'),
    ])
    expect(
      scoreOf(directives, point, '- Never rename the public\n  exports of the parser.'),
    ).toEqual({
      kept: 1,
      total: 1,
    })
    expect(scoreOf(directives, point, 'Never rename public exports of the parser.')).toEqual({
      kept: 0,
      total: 1,
    })
  })
})

describe('err', () => {
  test('wants the last five distinct error lines', () => {
    const lines = Array.from(
      { length: 7 },
      (_, at) => `error: part_${at} of module_${at}, file_${at} and line_${at}`,
    )
    const point = pointOf([result([...lines, lines[6]].join('\n'))])
    expect(scoreOf(errors, point, lines.join('\n'))).toEqual({ kept: 5, total: 5 })
    expect(scoreOf(errors, point, lines.slice(0, 2).join('\n')).kept).toBeLessThan(5)
    expect(scoreOf(errors, point, 'it failed')).toEqual({ kept: 0, total: 5 })
  })
})

describe('faith', () => {
  test('is the share of names that the original has', () => {
    const point = pointOf([result('netPrice_1 in src/cart.ts')])
    expect(scoreOf(faithfulness, point, 'netPrice_1 and inventedName in src/cart.ts')).toEqual({
      kept: 2,
      total: 3,
    })
  })
})

describe('stale', () => {
  const old_string = 'const total = net + taxOfTheYear'
  const new_string = 'const total = net * rateOfTheYear'
  const edit = call('Edit', { file_path: 'a.ts', old_string, new_string })

  test('counts a line that an edit removed', () => {
    expect(scoreOf(staleness, pointOf([edit]), `${new_string}\n3\t${old_string}`)).toEqual({
      kept: 1,
      total: 2,
    })
  })

  test('counts none that is marked as removed, stands in its edit, or came back', () => {
    expect(scoreOf(staleness, pointOf([edit]), `- ${old_string}`).kept).toBe(0)
    expect(
      scoreOf(staleness, pointOf([edit]), `Call Edit: a.ts\n${old_string}\n${new_string}`).kept,
    ).toBe(0)
    expect(scoreOf(staleness, pointOf([edit, result(old_string)]), old_string).kept).toBe(0)
  })
})
