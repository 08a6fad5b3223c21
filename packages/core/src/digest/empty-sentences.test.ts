import { describe, expect, test } from 'vitest'
import {
  isChatter,
  isPraise,
  isStatus,
  isWaiting,
  withoutEmptySentences,
} from './empty-sentences.ts'

describe('sentences that say nothing', () => {
  test('praise is left out, an answer is not', () => {
    const text = 'Perfect! You were absolutely right. The lock is gone.\n\nYes! It has a date.'
    expect(withoutEmptySentences(text)).toBe('The lock is gone.\n\nYes! It has a date.')
    expect(['Good points.', 'Great idea!'].every(isPraise)).toBe(true)
    expect(['Yes.', 'Correct.', 'Good is what it costs.'].some(isPraise)).toBe(false)
    expect(isChatter('Yes.')).toBe(true)
  })

  test('a sentence that only presents the answer is left out', () => {
    const presents = "Here's my analysis of the cache, based on its tests."
    expect(withoutEmptySentences(`${presents} It never expires.`)).toBe('It never expires.')
    const says = 'Here is the summary of `a.ts`: it has 3 faults.'
    expect(withoutEmptySentences(says)).toBe(says)
  })

  test('that all went well is a status, what failed or how many is none', () => {
    expect(['All tests pass.', 'Lint passes.', 'The build is clean.'].every(isStatus)).toBe(true)
    expect(isStatus('Awesome, all tests pass.')).toBe(true)
    expect(['All 206 tests pass in 96.3 s.', 'The tests fail.'].some(isStatus)).toBe(false)
  })

  test('that something goes on says nothing, unless it says what or why', () => {
    const goingOn = [
      'Build is still running through the workspace packages.',
      'The test suite is still running.',
      'Still running.',
      'No completion signal yet.',
      'No output yet.',
      'It is still working at 10 minutes.',
      'The agent is still active, not waiting.',
      'Still no finish signal; continuing to wait.',
      'Still active; checking current output.',
      'Continuing to wait; I’ll capture again shortly.',
      'Checking the latest output from the worker.',
      'Final verify still running.',
      'Still running the full test suite.',
      'Still committing/merging.',
      'Still waiting for the main build to finish.',
      'I’ll keep monitoring the worker.',
    ]
    expect(goingOn.filter((one) => !isWaiting(one))).toEqual([])
    const findings = [
      'The old server is still running and holds the lock.',
      'The tests are still running because the port is taken.',
      'No output yet: the port is taken.',
      'No response headers are set on redirects.',
      'The worker is still running the old code.',
      'Two PRs are still pending review.',
      'The session is still active after logout.',
      'All migrations are still pending.',
      'Still running, the port is taken.',
      'No output yet, the process hangs in `readAll`.',
      'Still active; 3 tests failed so far.',
      'Checking the limit of `readAll` first.',
      'Checking status codes is the job of the client.',
      'Continue to wait for the lock or fail.',
      'It is still running on the old schema.',
      'They are still active in production.',
      'The old worker is still running.',
      'The final decision still pending.',
      'The last lock still active.',
      'Still waiting for approval from the owner.',
      'Still pending, waiting for the answer of the user.',
      'Waiting for Anna’s review.',
      'Keep the worker running.',
      'Keep the final state.',
      'No output changed.',
      'No signal handlers.',
    ]
    const people = [
      'Still waiting for the vendor report.',
      'Still waiting for customer verification.',
      'Waiting for Anna’s test.',
      'Waiting for the client’s output.',
    ]
    expect([...findings, ...people].filter(isWaiting)).toEqual([])
  })
})
