/** Names for new sessions that are the same in every run, for tests. */
import type { Format, NewSession } from './format.ts'

export function createNewSession(format: Pick<Format, 'name'>): NewSession {
  let count = 0
  return {
    sessionId:
      format.name === 'opencode'
        ? 'ses_5c0ffee1000000000000000000'
        : '99999999-2222-4333-8444-555555555555',
    timestamp: '2026-06-07T08:09:10.000Z',
    title: 'a new name',
    createId: () => `${(0xabcd0000 + count++).toString(16)}-0000-4000-8000-000000000000`,
  }
}
