import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import {
  cutToWidth,
  renderBar,
  renderBytes,
  renderDollars,
  renderDuration,
  renderPlural,
  renderShare,
  renderTable,
  right,
  wrapLines,
  wrapText,
} from './render.ts'

const plain = pc.createColors(false)

describe('render', () => {
  test('aligns by width in columns, not in characters', () => {
    const rows = [
      ['日本', '1'],
      ['ab', '100'],
    ]
    expect(renderTable(['name', right('size')], rows, { columns: 80, colors: plain })).toBe(
      '  name  size\n  日本     1\n  ab     100',
    )
  })

  test('cuts the columns that may shrink until the table fits', () => {
    const rows = [['a/very/long/path/of/a/file.ts', '1234']]
    const table = renderTable([{ title: 'path', shrinkTo: 6 }, 'n'], rows, {
      columns: 20,
      colors: plain,
    })
    expect(table.split('\n')[1]).toBe('  a/very/long…  1234')
  })

  test('leaves out columns in their order until the rest fits, and shrinks further when none may leave', () => {
    const columns = [
      { title: 'id' },
      { title: 'size', leaves: 1 },
      { title: 'time', leaves: 2 },
      { title: 'title', shrinkTo: 10 },
    ]
    const rows = [['abcd', '12 kB', '2026-01-01', 'a title of some length']]
    const table = (width: number) =>
      renderTable(columns, rows, { columns: width, colors: plain }).split('\n')[1]
    expect(table(80)).toBe('  abcd  12 kB  2026-01-01  a title of some length')
    expect(table(37)).toBe('  abcd  12 kB  2026-01-01  a title o…')
    expect(table(36)).toBe('  abcd  2026-01-01  a title of some…')
    expect(table(28)).toBe('  abcd  a title of some len…')
    expect(table(14)).toBe('  abcd  a tit…')
  })

  test('breaks lines between words, and indents the rest like the last column', () => {
    expect(wrapLines('one two three four\n\nshort', 9)).toBe('one two\nthree\nfour\n\nshort')
    expect(wrapLines('  one two three', 9)).toBe('  one two\n  three')
    expect(wrapLines('  ok  one two three', 12)).toBe('  ok  one\n      two\n      three')
    expect(wrapLines('  a long name  one two three', 12)).toBe('  a long\n  name  one\n  two three')
    expect(wrapLines('一二 三四 五六', 9)).toBe('一二 三四\n五六')
    const dim = pc.createColors(true).dim
    expect(wrapLines(dim('  one two three'), 9)).toBe(`${dim('  one two\n  three')}`)
    expect(wrapLines('a path/that/is/too/long', 9)).toBe('a\npath/that/is/too/long')
    expect(wrapLines('Run "precis doctor claude" for more', 24)).toBe(
      'Run\n"precis doctor claude"\nfor more',
    )
  })

  test('cuts a path between folders, unless its last one is too long', () => {
    expect(cutToWidth('/home/dev/work/service-9', 14, true)).toBe('…/service-9')
    expect(cutToWidth('/home/dev/work/service-9/src/', 15, true)).toBe('…/src/')
    expect(cutToWidth('/home/dev/work/service-9', 8, true)).toBe('…rvice-9')
  })

  test('leaves a command below a colon in one line', () => {
    expect(wrapLines('  → run:\n    cd /work && run it\n  and a sentence', 12)).toBe(
      '  → run:\n    cd /work && run it\n  and a\n  sentence',
    )
    expect(wrapLines('Go on in it:\n  cd /work && run it\nand a sentence', 12)).toBe(
      'Go on in it:\n  cd /work && run it\nand a\nsentence',
    )
    expect(wrapLines('Examples:\n  run it    one two', 14)).toBe('Examples:\n  run it\n  one two')
  })

  test('draws a bar in eighths that shows what is little', () => {
    expect(renderBar(0.5, 4)).toBe('██')
    expect(renderBar(0.0001, 4)).toBe('▏')
    expect(renderBar(0, 4)).toBe('')
    expect(renderBar(7, 2)).toBe('██')
  })

  test('spells numbers with their units', () => {
    expect([0, 999, 1000, 1536, 99_960, 1_700_000, 2.5e9].map(renderBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 kB',
      '1.5 kB',
      '100 kB',
      '1.7 MB',
      '2.5 GB',
    ])
    expect([renderShare(1, 1000), renderShare(1, 2), renderShare(0, 0)]).toEqual([
      '<1 %',
      '50 %',
      '–',
    ])
    expect([0, 0.001, 13.617, -0.5, -0.001].map(renderDollars)).toEqual([
      '$0.00',
      '< $0.01',
      '$13.62',
      '-$0.50',
      '$0.00',
    ])
    expect([999.4, 999.6, 9949, 9951, 59_600, 3_599_400, 3_599_600].map(renderDuration)).toEqual([
      '999 ms',
      '1.0 s',
      '9.9 s',
      '10 s',
      '1 min 0 s',
      '59 min 59 s',
      '1.0 h',
    ])
    expect([renderPlural(1, 'turn'), renderPlural(1200, 'turn')]).toEqual(['1 turn', '1,200 turns'])
  })

  test('spaces between words go at a break, and so do any number of them at the end', () => {
    const text = `one  two   three${' '.repeat(500_000)}`
    expect(wrapText(text, 9)).toBe('one  two\nthree')
  })
})
