import { expect, test } from 'vitest'
import { decodeSigns } from './decode-signs.ts'
import { REDACTED, redactInSteps, redactSecrets } from './redact-secrets.ts'

const SECRET = 'aB3dE5gH7jK9mN1pQ4sT6vW8'

const listLengths = (text: string): number[] =>
  [...decodeSigns(text)].map((decoded) => decoded.text.length)

test('a text is decoded near its signs only, piece by piece', { tags: 'slow' }, () => {
  const code = 'const value = readValue(text, named) // of some words\n'.repeat(20_000)
  expect(listLengths(code)).toEqual([])
  expect(listLengths(`${code}a%20b\n${code}`)).toEqual([7])
  const words = 'word '.repeat(200_000)
  expect(listLengths(`${words}%3D${words}`).every((length) => length < 20_000)).toBe(true)
  expect(listLengths(`${words}%3D${words}`)).toHaveLength(1)
  const lengths = listLengths('a%3D'.repeat(250_000))
  expect(Math.max(...lengths)).toBeLessThan(20_000)
  expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(750_000)
})

test('a secret at the end of a piece is hidden like any other', { tags: 'slow' }, () => {
  for (let length = 16_200; length < 16_500; length++) {
    const before = `%3F${'a'.repeat(length)}`
    const redacted = redactSecrets(`${before}%26token%3D${SECRET}%26b`)
    expect(redacted.startsWith(`${before}%26token%3D${REDACTED}`), `${length}`).toBe(true)
    expect(redacted.endsWith('6b'), `${length}`).toBe(true)
  }
})

test('an encoded quote is closed by an encoded one only, and by none of another string of JSON', () => {
  for (const [text, redacted] of [
    [`{"t":"password=\\u0027abc1","x":"don't"}`, `{"t":"password=\\u0027${REDACTED}","x":"don't"}`],
    [
      `{"t":"password=\\u0022abc1","x":"don\\u0022t"}`,
      `{"t":"password=\\u0022${REDACTED}","x":"don\\u0022t"}`,
    ],
    [
      `{\\"t\\":\\"password=\\\\u0022abc1\\",\\"x\\":\\"\\\\u0022\\"}`,
      `{\\"t\\":\\"password=\\\\u0022${REDACTED}\\",\\"x\\":\\"\\\\u0022\\"}`,
    ],
    [`password=\\u0027it's-1secret\\u0027`, `password=\\u0027${REDACTED}\\u0027`],
    [`password%3D%27it's-1secret%27`, `password%3D%27${REDACTED}%27`],
    [`password=\\u0022a'b\\"c1\\u0022 b`, `password=\\u0022${REDACTED}\\u0022 b`],
    [`password=\\u0022a1\\\\\\u0022c\\u0022 b`, `password=\\u0022${REDACTED}\\u0022 b`],
    [
      `password=\\\\u0022a1\\\\\\\\\\\\u0022c\\\\u0022 b`,
      `password=\\\\u0022${REDACTED}\\\\u0022 b`,
    ],
    [`password=\\u0022a'b\\\\c\\n1\\u0022 b`, `password=\\u0022${REDACTED}\\u0022 b`],
  ] as const)
    expect(redactSecrets(text)).toBe(redacted)
})

test('a value that is cut off at the end of its piece does not reach into the next', () => {
  const text = 'a%20password=%22abc1\nb%22 and it is%20 all of this\n'
  expect(redactSecrets(text)).toBe(text.replace('%22abc1', REDACTED))
})

test('what is encoded in encoded strings of JSON is hidden, three levels in', () => {
  const encode = (value: object) => JSON.stringify(value).replaceAll('\\"', '\\u0022')
  let value: object = { user: 'u', password: 'hunter22x9' }
  for (let level = 0; level < 4; level++) {
    const redacted = redactSecrets(encode(value))
    expect(redacted, `${level}`).not.toContain('hunter')
    expect(redacted, `${level}`).toContain('user')
    value = { body: encode(value) }
  }
})

test('a key whose begin and end are in different pieces hides nothing between them', () => {
  const lines = 'an ordinary line of words\n'.repeat(900)
  const mark = (end: string) => `u=a%20b-----${end} RSA PRIVATE KEY-----\n`
  expect(redactSecrets(`${mark('BEGIN')}${lines}${mark('END')}`)).toContain(lines)
})

test('texts that are read in turns do not disturb each other', () => {
  const texts = [`%3Ftoken%3D${SECRET}`, `${'%41'.repeat(20)}%26token%3D${SECRET}%20x`]
  const runs = texts.map((text) => redactInSteps(text))
  const results: string[] = []
  while (results.length < runs.length)
    for (const run of runs) {
      const { done, value } = run.next()
      if (done && value !== undefined) results.push(value)
    }
  expect(results.sort()).toEqual(texts.map((text) => redactSecrets(text)).sort())
  expect(results.every((result) => result.includes(REDACTED))).toBe(true)
})
