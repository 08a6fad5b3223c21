import { expect, test } from 'vitest'
import { changeParts } from '../conversation/message.ts'
import { formats } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { carryLedger } from './carry-ledger.ts'

test('a clipped message stands for its own words, not for those of others that begin alike', () => {
  const template = 'Review the report of the nightly run and mend its first failure. Report: '
  const says = (content: string) => ({ role: 'user', content })
  const conversation = formats['openai-chat'].parse([
    says(`${template}never touch the billing tables.`),
    { role: 'assistant', content: 'I will not.' },
    says(`${template}${'line '.repeat(100)}`),
  ])
  const last = conversation.messages[2]!
  const clipped = changeParts(last, (parts) =>
    parts.map((part) => (part.type === 'text' ? { ...part, text: `${template}line …` } : part)),
  )
  const counter = createTokenCounter(findModel('gpt-5'), { byCharacters: true })
  const ledger = carryLedger(conversation, { counter, pins: [], limitTokens: 10_000 })
  expect(ledger.render([clipped])).toContain('never touch the billing tables')
  expect(ledger.render([clipped])).not.toContain('line line')
})
