import { expect, test } from 'vitest'
import { renderSearchableText } from './searchable-text.ts'

const render = (record: object) => renderSearchableText(Buffer.from(JSON.stringify(record)))

test('what an agent notes beside what was said is no word of it', () => {
  const usage = {
    input_tokens: 1,
    service_tier: 'standard',
    inference_geo: 'not_available',
    speed: 'standard',
  }
  const message = { role: 'assistant', content: [{ type: 'text', text: 'Found it.' }], usage }
  expect(render({ type: 'assistant', uuid: 'u', message })).toBe('Found it.')
  const typed = { role: 'user', content: 'Fix the tax' }
  expect(
    render({ type: 'user', message: typed, permissionMode: 'default', promptSource: 'typed' }),
  ).toBe('Fix the tax')
})
