import { describe, expect, onTestFinished, test } from 'vitest'
import { overflowAnswers } from '../../../core/src/context/overflow-answers.suite.ts'
import { createHome } from '../cli/command.suite.ts'
import { createOpencodeModel, createTurn, FIRST } from './agent-models.suite.ts'
import { send, startPeer, startServed } from './served.suite.ts'

const LIMIT = 9000
const MOST_BYTES = 4 * LIMIT

/** The words of each provider, with the numbers of this test. */
const wordings = overflowAnswers.flatMap(({ provider, status = 400, body, expected }) => {
  const { limitTokens, requestTokens } = expected ?? {}
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const numbers = [limitTokens, requestTokens].flatMap((number) =>
    number === undefined ? [] : [String(number)],
  )
  // Limits in bytes are megabytes, so such a request is parsed in any case.
  if (expected?.of !== 'tokens') return []
  // Some answers contain other numbers, such as sums, which cannot be replaced here.
  if (status < 400 || status >= 500 || !numbers.every((number) => text.includes(number))) return []
  const said = text
    .replaceAll(String(limitTokens), String(LIMIT))
    .replaceAll(String(requestTokens), '13000')
  return [{ provider, status, said }]
})

describe('a request that is too long in the words of its provider', { tags: 'slow' }, () => {
  test('goes out once more and shorter, and the next one is short at once', async () => {
    expect(wordings.length).toBeGreaterThan(20)
    let refused = { status: 400, said: '' }
    const upstream = await startPeer(({ body }, response) => {
      const isLong = body.length > MOST_BYTES
      response.writeHead(isLong ? refused.status : 200, { 'content-type': 'application/json' })
      response.end(isLong ? refused.said : '{}')
    })
    onTestFinished(() => upstream.close())
    const gateway = await startServed({ home: createHome(), upstream: upstream.url })
    onTestFinished(() => gateway.end())
    const failed: string[] = []
    for (const [index, wording] of wordings.entries()) {
      refused = wording
      const model = createOpencodeModel(
        { session: `wording-${index}`, credential: `wording-${index}` },
        'openai-chat',
      )
      for (let step = 0; step < 24; step++) model.add(createTurn(step))
      const request = model.ask('Now this.')
      const before = upstream.received.length
      const answers = [await send(gateway, request), await send(gateway, request)]
      const sent = upstream.received.slice(before).map(({ body }) => String(body))
      const isShort = sent.length === 3 && sent[1] === sent[2] && sent[1]?.includes(FIRST)
      if (!isShort || answers.some(({ status }) => status !== 200))
        failed.push(`${wording.provider}: ${sent.length}`)
    }
    expect(failed).toEqual([])
  })
})
