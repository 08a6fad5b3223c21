import { createHash } from 'node:crypto'
import pc from 'picocolors'
import { describe, expect, test } from 'vitest'
import {
  describeLifetime,
  type Replay,
  type ReplayRun,
  renderCostChange,
} from '../replay/replay.ts'
import { renderReplayReport, toReplayJson } from '../reports/replay.ts'
import { renderReplayPage, renderTokenPicture } from './replay-page.ts'

const HOSTILE = '</td><script>alert(1)</script>"\'&\u202e\u001b[31m'

function createRun(requests: number): ReplayRun {
  const totals = {
    promptTokens: 100,
    cachedTokens: 50,
    money: 2,
    summaryMoney: 0,
    readAgainMoney: 0,
  }
  return {
    cacheLifetimeSeconds: 300,
    requests: Array.from({ length: requests }, (_, index) => ({
      request: index + 1,
      turn: 1,
      time: undefined,
      secondsSinceLast: undefined,
      fits: true,
      tokens: 1000 + (index % 50),
      cachedTokens: 900,
      money: 0.01,
      decision: 'under-threshold',
      tokensWithout: 1500 + index,
      cachedTokensWithout: 900,
      moneyWithout: 0.02,
    })),
    compressions: [
      {
        request: 2,
        trigger: 'threshold',
        outcome: 'compressed',
        tokensBefore: 5000,
        tokensAfter: 1000,
        explanation: HOSTILE,
        needed: 3,
        missing: [HOSTILE, 'x'.repeat(5000)],
        readAgainTokens: 10,
      },
    ],
    without: totals,
    with: { ...totals, money: 1, readAgainMoney: 0.1 },
    waited: 0,
    needed: 3,
    missing: 2,
    firstTooLarge: 2,
    firstRefused: undefined,
  }
}

function createReplay(requests = 4): Replay {
  return {
    session: `/tmp/${HOSTILE}.jsonl`,
    format: 'claude-code',
    model: HOSTILE,
    hasPrices: true,
    hasTimes: true,
    windowTokens: 2000,
    reserveTokens: 100,
    thresholdTokens: 1600,
    saves: false,
    strategy: 'auto',
    summarizer: HOSTILE,
    notInFileTokens: 0,
    recordedCompactions: 2,
    runs: [createRun(requests), { ...createRun(requests), cacheLifetimeSeconds: 3600 }],
  }
}

describe('the page of a replay', () => {
  const html = renderReplayPage(createReplay())

  test('has what a session holds as text only', () => {
    expect(html).not.toContain('<script')
    expect(html).not.toContain('\u202e')
    expect(html).not.toContain('\u001b')
    expect(html).toContain('&lt;script&gt;')
  })

  test('loads nothing, and its policy lets nothing but its own style in', () => {
    expect(html).not.toMatch(/ (?:src|href)="(?!#)/)
    const [, style = ''] = /<style>([\s\S]{0,20000}?)<\/style>/.exec(html) ?? []
    expect(html).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    )
  })

  test('cuts a name that is too long for a page', () => {
    expect(html).not.toContain('x'.repeat(100))
  })

  test('closes every element it opens', () => {
    for (const name of [
      'table',
      'tr',
      'td',
      'th',
      'svg',
      'g',
      'figure',
      'details',
      'p',
      'ul',
      'li',
    ]) {
      const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
      expect([name, count(new RegExp(`<${name}[ >]`, 'g'))]).toEqual([
        name,
        count(new RegExp(`</${name}>`, 'g')),
      ])
    }
  })
})

describe('a chart', () => {
  test('draws both lines, the limits and a mark for each compression', () => {
    const svg = renderTokenPicture(createReplay(), createRun(4))
    expect(svg.match(/<path class="line /g)).toHaveLength(2)
    expect(svg.match(/class="limit"/g)).toHaveLength(2)
    expect(svg.match(/<circle class="mark"/g)).toHaveLength(1)
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })

  test.each([1, 2, 100_000])('stays small and whole with %i requests', (requests) => {
    const svg = renderTokenPicture(createReplay(), createRun(requests))
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    expect(svg.length).toBeLessThan(30_000)
  })
})

test('the report steers no terminal', () => {
  const report = renderReplayReport(
    createReplay(),
    { columns: 80, colors: pc.createColors(false) },
    true,
  )
  expect(report).not.toContain('\u001b')
  expect(report).not.toContain('\u202e')
})

test('the JSON has null where nothing is known', () => {
  const json = JSON.parse(JSON.stringify(toReplayJson(createReplay())))
  expect(json.runs[0].requests[0]).toMatchObject({ time: null, secondsSinceLast: null })
  expect(json.runs[0].firstRefused).toBeNull()
})

test.each([
  [4, 2, '−50 %'],
  [4, 4, '0 %'],
  [4, 4.1, '+2.5 %'],
  [0, 0, '–'],
])('a change from %d to %d is %s', (without, now, text) => {
  expect(renderCostChange(without, now)).toBe(text)
})

test.each([
  [300, 'cache of 5 minutes'],
  [3600, 'cache of 1 hour'],
  [86_400, 'cache of 24 hours'],
  [undefined, 'no cache'],
])('a lifetime of %s seconds is a %s', (seconds, text) => {
  expect(describeLifetime(seconds)).toBe(text)
})
