import { describe, expect, test } from 'vitest'
import { createClaudeInstruction, createCodexPrompt } from '../agents/compaction-requests.suite.ts'
import type { ActRequest } from './gateway.ts'
import { DEADLINE_MS, findPatience, PATIENCE_MS } from './patience.ts'

const request: ActRequest = {
  api: 'openai-responses',
  purpose: 'generate',
  path: '/v1/responses',
  model: undefined,
  headers: {},
  body: Buffer.from('{"input":"hello"}'),
  owner: { id: 'a', session: 's', agent: 'codex' },
  windowTokens: undefined,
}
const NEW = { windowTokens: 20_000, isChanged: false, saves: false }
const withBody = (text: string) => ({ ...request, body: Buffer.from(text) })

const BASE64 = `${'iVBORw0KGgo/'.repeat(90_000)}==`

/** A megabyte of base64, as an address or next to its type. */
function createPicture(key: 'image_url' | 'data', space = '', type = 'image/png'): string {
  return key === 'data'
    ? `{"media_type":${space}"${type}",${space}"data":${space}"${BASE64}"},`
    : `{"${key}":${space}"data:${type};base64,${BASE64}"},`
}

describe('an act has a minute', () => {
  test.each([
    [
      'of a session that was made shorter before, whose beginning stays the same',
      request,
      { ...NEW, isChanged: true },
    ],
    ['where cost is to be saved', request, { ...NEW, saves: true }],
    [
      'that the upstream has refused as too long',
      { ...request, overflow: { of: 'tokens' } as const },
      NEW,
    ],
    ['that may be too long by its bytes', withBody('x'.repeat(30_001)), NEW],
    ['with many pictures', withBody(createPicture('image_url').repeat(5)), NEW],
    [
      'with a long text in the place of one',
      withBody(`{"data":"${'some words '.repeat(4_000)}"}`),
      NEW,
    ],
    ['with a document, whose pages count', withBody(createPicture('data', '', 'a/pdf')), NEW],
    [
      'with a text that has a picture in it',
      withBody(JSON.stringify({ text: `<img src="data:image/png;base64,${BASE64}">` })),
      NEW,
    ],
    ['at the address of a compaction', { ...request, purpose: 'compact' as const }, NEW],
    [
      'whose headers say that it is a compaction',
      { ...request, headers: createCodexPrompt().headers },
      NEW,
    ],
    ['with words that agents compact with', withBody(createClaudeInstruction()), NEW],
    [
      'with a summary that only precis can read',
      withBody('{"encrypted_content":"precis-compaction-1:YQ=="}'),
      NEW,
    ],
  ])('for a request %s', (_, asked, known) => {
    expect(findPatience(asked, known)).toBe(PATIENCE_MS)
  })
})

test.each([
  ['any other request', request, NEW],
  ['one with a large picture', withBody(createPicture('image_url')), NEW],
  ['one with a large picture next to its type', withBody(createPicture('data')), NEW],
  ['one with a picture, written by Python', withBody(createPicture('data', ' ')), NEW],
  [
    'a long one in a window that nobody named',
    withBody('x'.repeat(600_000)),
    { ...NEW, windowTokens: undefined },
  ],
  [
    'one of another agent with such a summary',
    { ...withBody('precis-compaction-1:YQ=='), owner: { ...request.owner, agent: undefined } },
    NEW,
  ],
])('%s is not held up for longer than a person waits for nothing', (_, asked, known) => {
  expect(findPatience(asked, known)).toBe(DEADLINE_MS)
})
