/** Accounts for tests of the page. */

import { sumMoney, summarizeAccount } from './account-summary.ts'
import type { AccountEvent } from './account-turn.ts'
import type { ListedAccount } from './accounts.ts'
import { addEvent } from './add-event.ts'
import type { ObservedAnswer } from './gateway.ts'
import type { SessionAccount } from './session-account.ts'
import type { SessionsPage } from './sessions-page.ts'

export const NOW = 1_800_000_000_000
const MINUTE = 60_000
const SONNET = 'claude-sonnet-4-5'

type Turn = Partial<AccountEvent> & {
  readonly tokens?: readonly [input: number, cached: number, written: number, output: number]
}

export function createListed(session: string, turns: readonly Turn[]): ListedAccount {
  const account = turns.reduce<SessionAccount | undefined>((before, { tokens, ...more }) => {
    const [inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0] =
      tokens ?? []
    const usage: ObservedAnswer['usage'] = tokens && {
      inputTokens,
      cachedInputTokens,
      cacheWriteTokens,
      outputTokens,
    }
    const event: AccountEvent = {
      time: NOW,
      agent: 'claude-code',
      model: SONNET,
      windowTokens: undefined,
      status: 200,
      usage,
      isLongLived: false,
      milliseconds: 9000,
      firstByteMilliseconds: 1200,
      ...more,
    }
    return addEvent(before, event)
  }, undefined)
  if (!account) throw new Error('no turns')
  return { session, account }
}

const facts = { kept: 41, before: 43 }
const record = {
  time: NOW,
  milliseconds: 640,
  model: SONNET,
  tokensBefore: 152_300,
  tokensAfter: 4390,
} as const

export const listed: readonly ListedAccount[] = [
  createListed('8f14e45f-ceea-467f-9a77-3c2d1e0b5a11', [
    { time: NOW - 30 * MINUTE, tokens: [120_000, 100_000, 19_000, 900] },
    { time: NOW - 28 * MINUTE, tokens: [141_000, 120_000, 20_500, 700] },
    {
      time: NOW - 26 * MINUTE,
      done: {
        type: 'answer',
        record: {
          ...record,
          time: NOW - 26 * MINUTE,
          act: 'answer',
          archived: '5024790ee2',
          facts,
        },
      },
    },
    { time: NOW - 25 * MINUTE, tokens: [24_000, 15_000, 8900, 400] },
    { time: NOW - 3 * MINUTE, tokens: [91_000, 80_000, 10_500, 1100] },
  ]),
  createListed('0199b1b2-7c6a-7d11-8f51-b11f2f3c4d5e', [
    {
      time: NOW - 200 * MINUTE,
      agent: 'codex',
      model: 'gpt-5',
      tokens: [240_000, 230_000, 0, 500],
    },
    {
      time: NOW - 190 * MINUTE,
      agent: 'codex',
      model: 'gpt-5',
      tokens: [61_000, 4000, 0, 800],
      done: {
        type: 'replace',
        record: {
          ...record,
          model: 'gpt-5',
          time: NOW - 190 * MINUTE,
          act: 'save',
          tokensBefore: 250_000,
          tokensAfter: 60_000,
          facts,
        },
      },
    },
    {
      time: NOW - 189 * MINUTE,
      agent: 'codex',
      model: 'gpt-5',
      tokens: [66_000, 60_000, 0, 800],
      done: {
        type: 'replace',
        record: {
          ...record,
          model: 'gpt-5',
          act: 'save',
          tokensBefore: 66_000,
          tokensAfter: 66_000,
        },
      },
    },
    {
      time: NOW - 188 * MINUTE,
      agent: 'codex',
      model: 'gpt-5',
      pass: { reason: 'unknown' },
      tokens: [70_000, 66_000, 0, 4000],
    },
    { time: NOW - 187 * MINUTE, agent: 'codex', model: 'gpt-5', pass: { reason: 'too-late' } },
  ]),
  createListed('', [
    {
      time: NOW - 2000 * MINUTE,
      agent: undefined,
      model: 'our-own-model-7b',
      status: 200,
      tokens: [12_000, 0, 0, 300],
    },
  ]),
]

export function createPage(
  accounts: readonly ListedAccount[],
  more: Partial<SessionsPage> = {},
): SessionsPage {
  return {
    ownerId: 'c0ffee'.padEnd(64, '0'),
    money: sumMoney(accounts.map(({ account }) => account)),
    sessions: accounts.map(summarizeAccount),
    agentTitles: new Map([
      ['claude-code', 'Claude Code'],
      ['codex', 'Codex'],
    ]),
    database: '/home/me/.local/share/precis/archive.db',
    token: 'a-token',
    now: NOW,
    ...more,
  }
}
