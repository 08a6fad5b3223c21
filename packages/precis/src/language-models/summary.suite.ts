/** A span, and what a model makes of it. */

export const span = [
  [
    'user',
    'user',
    'Please fix the retry in src/net/retry.ts, and never touch the file config/limits.json meanwhile.',
  ],
  [
    'assistant',
    'agent',
    'I will look at the file first and then say what is wrong with it, before anything is changed.',
  ],
  [
    'assistant',
    'agent',
    'The delay of waitBetweenAttempts is never awaited; that is the reason for the failures we see.',
  ],
  [
    'user',
    'user',
    'Good. Then await it, run the tests, and tell me what they say about the ETIMEDOUT of yesterday.',
  ],
].map(([role, origin, text]) => ({ role, origin, parts: [{ type: 'text', text }] }))

export const goodSummary =
  'The person wants the retry in src/net/retry.ts to be fixed and config/limits.json not to be touched. The delay of waitBetweenAttempts is not awaited.'

export const goodAnswer = `<summary>\n${goodSummary}\n</summary>`
