import { describe, expect, test } from 'vitest'
import { createSteps } from '../compression/clone-session.ts'
import {
  parseBand,
  parsePercent,
  parseTokens,
  parseTools,
  profiles,
  readCloneSettings,
} from './clone-options.ts'

describe('--band', () => {
  test.each([
    ['0-50:heavy', { start: 0, end: 50, level: 'heavy-compress' }],
    ['0-50:heavy-compress', { start: 0, end: 50, level: 'heavy-compress' }],
    [' 50-80:Standard ', { start: 50, end: 80, level: 'compress' }],
    ['50-80:compress', { start: 50, end: 80, level: 'compress' }],
    ['12.5-100:0.3', { start: 12.5, end: 100, level: 0.3 }],
    ['0-100:.25', { start: 0, end: 100, level: 0.25 }],
  ])('%s is a band', (text, band) => {
    expect(parseBand(text)).toEqual([band])
  })

  test.each([
    '',
    '0-50',
    '50:heavy',
    '0-50:',
    '0-50:tiny',
    '0-50:1.5',
    '0-50:0',
    '0-50:0.0',
    'a-b:heavy',
    '-5-50:heavy',
    '0-50:toString',
  ])('%j is refused with an example', (text) => {
    expect(() => parseBand(text)).toThrow('0-50:heavy')
  })

  test('given several times they add up, in the order of their start', () => {
    const band = parseBand('0-50:heavy', parseBand('50-80:standard'))
    expect(readCloneSettings({ band }).bands.map(({ start }) => start)).toEqual([0, 50])
    expect(createSteps(readCloneSettings({ band })).map(({ name }) => name)).toEqual(['bands'])
  })

  test.each([
    ['0-60:heavy', '50-80:standard'],
    ['50-10:heavy', '60-80:heavy'],
    ['0-50:heavy', '50-101:heavy'],
  ])('%s with %s is wrong usage', (first, second) => {
    const settings = readCloneSettings({ band: parseBand(second, parseBand(first)) })
    expect(() => createSteps(settings)).toThrow('Reading bands: found')
    expect(() => createSteps(settings)).toThrow(expect.objectContaining({ code: 'wrong-usage' }))
  })
})

describe('zones', () => {
  test('--tools has a mode and a percent', () => {
    expect(parseTools('remove:75')).toEqual({ mode: 'remove', percent: 75 })
    expect(parseTools('mask:12.5%')).toEqual({ mode: 'mask', percent: 12.5 })
    for (const text of ['remove', 'remove:', 'cut:10', 'mask:101', 'mask:-1', ':50']) {
      expect(() => parseTools(text)).toThrow('remove:75, truncate:75 or mask:75')
    }
  })

  test('--reasoning has a percent, --min-tokens a number', () => {
    expect([parsePercent('0'), parsePercent('100%'), parseTokens('50')]).toEqual([0, 100, 50])
    for (const text of ['', '-1', '101', 'all'])
      expect(() => parsePercent(text)).toThrow('from 0 to 100')
    for (const text of ['', '-1', '1.5', 'all'])
      expect(() => parseTokens(text)).toThrow('number of tokens')
  })

  test('nothing asked is no step, and neither is a zone of nothing', () => {
    expect(createSteps(readCloneSettings({}))).toEqual([])
    expect(
      createSteps(readCloneSettings({ tools: { mode: 'mask', percent: 0 }, reasoning: 0 })),
    ).toEqual([])
  })

  test('tools and reasoning are cleared before any text is handed to a summarizer', () => {
    const flags = { tools: parseTools('mask:75'), reasoning: 100, band: parseBand('0-50:heavy') }
    const names = createSteps(readCloneSettings(flags)).map(({ name }) => name)
    expect(names).toEqual(['clear-tools', 'clear-reasoning', 'bands'])
  })
})

describe('--profile', () => {
  test.each([
    ['emergency', 'remove', 100],
    ['routine', 'truncate', 100],
    ['preserve', 'truncate', 80],
    ['minimal', 'truncate', 50],
  ])('%s means tools %s:%i and all reasoning', (profile, mode, percent) => {
    expect(readCloneSettings({ profile })).toMatchObject({
      tools: { mode, percent },
      reasoning: 100,
      bands: [],
    })
  })

  test('what is given stands before what the profile says', () => {
    const tools = parseTools('mask:30')
    expect(readCloneSettings({ profile: 'routine', tools, reasoning: 0 })).toMatchObject({
      tools,
      reasoning: 0,
    })
    expect(Object.keys(profiles)).toEqual(['emergency', 'routine', 'preserve', 'minimal'])
  })
})
