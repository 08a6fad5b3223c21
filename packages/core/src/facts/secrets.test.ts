import { describe, expect, test } from 'vitest'
import { REDACTED, redactSecrets } from './secrets.ts'

const letters = 'aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2dF5gH8'

describe('redactSecrets', () => {
  test.each([
    `sk-ant-api03-${letters}`,
    `sk-proj-${letters}`,
    `ghp_${letters}`,
    `github_pat_${letters}`,
    `glpat-${letters}`,
    `xoxb-123456789012-${letters}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${letters}`,
    `sk_live_${letters}`,
    `npm_${letters}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${letters}`,
  ])('%s is not copied', (secret) => {
    expect(redactSecrets(`before ${secret} after`)).toBe(`before ${REDACTED} after`)
  })

  test('the value of a named secret goes, its name stays', () => {
    expect(redactSecrets(`"api_key": "${letters}"`)).toBe(`"api_key": "${REDACTED}"`)
    expect(redactSecrets(`Authorization: Bearer ${letters}`)).toBe(`Authorization: Bearer ${REDACTED}`)
  })

  test('a secret behind an escaped line break in JSON goes too', () => {
    const json = JSON.stringify({ content: `first\nAKIAIOSFODNN7EXAMPLE\nghp_${letters}\tsk-proj-${letters}` })
    expect(redactSecrets(json)).toBe(`{"content":"first\\n${REDACTED}\\n${REDACTED}\\t${REDACTED}"}`)
  })

  test('a private key goes as a whole', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${letters}\n-----END RSA PRIVATE KEY-----`
    expect(redactSecrets(key)).toBe(REDACTED)
  })

  test('code that names a secret stays as it is', () => {
    const code = 'const token = readAccessToken(); api_key: process.env.SERVICE_KEY_NAME'
    expect(redactSecrets(code)).toBe(code)
  })

  test('hostile repetitions take no time', () => {
    for (const piece of [
      'eyJ',
      '-eyJ',
      '\\neyJ',
      'sk-',
      'Bearer ',
      'password=',
      '-----BEGIN PRIVATE KEY-----',
      'eyJa.eyJ',
    ]) {
      const started = performance.now()
      redactSecrets(piece.repeat(100_000))
      expect(performance.now() - started).toBeLessThan(2_000)
    }
  })
})
