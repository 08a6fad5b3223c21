import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressConversation, createTokenCounter, findModel } from '@precis/core'
import { readSummary } from '@precis/core/conversation'
import { formats } from '@precis/core/formats'
import { type LanguageModel, modelSummarizer } from '@precis/core/summarizers'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import { createMemorySource } from '../files/read-document.ts'
import {
  createClaudeSession,
  createCodexSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

// No real key is used. All are assembled when the test runs, each with its own number.
const LETTERS = 'aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2dF5gH8kL2nP4rS6tU9xX'
let planted = 0
const random = (length: number) => {
  const number = String(100 + planted++)
  return `${LETTERS.slice(planted % 7)}${LETTERS}`.slice(0, length - 3) + number
}
const hex = (length: number) =>
  '3f9a1c7e5b2d8046'.repeat(10).slice(0, length - 3) + String(100 + planted++)

type Plant = (secret: string) => string

const PLANTS: readonly (readonly [secret: string, plant: Plant])[] = [
  [random(36), (it) => `ghp_${it}`],
  [random(22), (it) => `glpat-${it}`],
  [random(48), (it) => `sk-ant-api03-${it}`],
  [random(48), (it) => `export OPENAI_API_KEY=sk-proj-${it}`],
  [random(24), (it) => `sk_live_${it}`],
  [random(24), (it) => `SLACK=xoxb-1234567890-${it}`],
  [random(24), (it) => `https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/${it}`],
  [random(60), (it) => `pypi-AgEIcHlwaS5vcmc${it}`],
  [random(36), (it) => `//registry.npmjs.org/:_authToken=${it}`],
  [hex(64), (it) => `dop_v1_${it}`],
  [random(48), (it) => `gsk_${it}`],
  [random(95), (it) => `hvs.${it}`],
  [random(33), (it) => `123456789:AA${it}`],
  [random(38), (it) => `MTA${LETTERS.slice(0, 21)}.GhIjKl.${it}`],
  [random(34), (it) => `hf_${it}`],
  [random(43), (it) => `SG.${LETTERS.slice(0, 22)}.${it}`],
  [random(40), (it) => `AWS_SECRET_ACCESS_KEY=${it}`],
  [random(40), (it) => `aws_secret_access_key = ${it}`],
  [random(16), (it) => `postgres://admin:${it}@db.internal:5432/app`],
  [random(16), (it) => `redis://:${it}@cache:6379`],
  [random(24), (it) => `Authorization: Basic ${it}`],
  [random(30), (it) => `-H 'Authorization: Bearer ${it}'`],
  [random(30), (it) => `authorization: token ${it}`],
  [random(14), (it) => `{\\"password\\": \\"${it}\\"}`],
  [random(14), (it) => `{"db": {"password": "${it}"}}`],
  [random(14), (it) => JSON.stringify(JSON.stringify({ client_secret: it }))],
  [random(14), (it) => `password=${it}`],
  [random(14), (it) => `passwd: ${it}`],
  [random(14), (it) => `DB_PASSWORD=p@ss;${it}`],
  [random(50), (it) => `SECRET_KEY_BASE=${it}`],
  [random(20), (it) => `DEPLOY_TOKEN=${it}`],
  [random(20), (it) => `tool --token=${it} run`],
  [random(14), (it) => `tool --password ${it} run`],
  [random(14), (it) => `mysql -u root -p${it} app`],
  [random(14), (it) => `curl -u admin:${it} https://x.io`],
  [random(32), (it) => `Cookie: sessionid=${it}; theme=dark`],
  [random(32), (it) => `Set-Cookie: sid=${it}; Path=/; HttpOnly`],
  [random(80), (it) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${it}==`],
  [random(40), (it) => `https://x.blob.core.windows.net/c?sv=2022&sig=${it}%3D`],
  [random(14), (it) => `machine api.github.com login bob password ${it}`],
  [random(14), (it) => `localhost:5432:app:bob:${it}`],
  [random(40), (it) => `{"auths":{"ghcr.io":{"auth":"${it}"}}}`],
  [random(90), (it) => `    client-key-data: ${it}`],
  [
    random(48),
    (it) =>
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${it}\n-----END RSA PRIVATE KEY-----`,
  ],
  [
    random(48),
    (it) => `"private_key": "-----BEGIN PRIVATE KEY-----\\n${it}\\n-----END PRIVATE KEY-----\\n"`,
  ],
  [random(40), (it) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${it}`],
  [random(14), (it) => `+  password: ${it}`],
  [random(14), (it) => `<password>${it}</password>`],
  [random(14), (it) => `- name: DB_PASSWORD\n  value: ${it}`],
  [random(14), (it) => `ALTER USER bob WITH PASSWORD '${it}';`],
  [random(14), (it) => `sshpass -p ${it} ssh host`],
  [random(20), (it) => `https://x.io/cb?access_token=${it}&x=1`],
  [random(30), (it) => `github_pat_${LETTERS.slice(0, 22)}\n${it}`],
  [random(14), (it) => `the password is ${it}`],
]

/** Contains every secret once, in each place of a session that can contain text. */
const SESSIONS = {
  'claude-code': (text: string) =>
    plantIn(text, [
      /Now the next one, number \d+, please\./g,
      /export const price\d+_0 =/g,
      /Done: cart\d\.ts/g,
    ]),
  codex: (text: string) =>
    plantIn(text, [
      /Please look at step \d+ of the tax\./g,
      /export const price\d+_0 =/g,
      /Step \d+ is fine\./g,
      /sed -n '1,80p'/g,
    ]),
}

/** Adds them next to every place that is found. The last turns stay untouched. */
function plantIn(text: string, places: readonly RegExp[]): string {
  return places.reduce((result, place, start) => {
    let next = start
    return result.replace(place, (found) => {
      const [secret, plant] = PLANTS[next] ?? []
      next += places.length
      if (secret === undefined || plant === undefined) return found
      return JSON.stringify(`${found}\n${plant(secret)}\n`).slice(1, -1)
    })
  }, text)
}

function findLeaks(text: string): string[] {
  return PLANTS.flatMap(([secret]) => (text.includes(secret) ? [secret] : []))
}

function createPlanted(format: keyof typeof SESSIONS, home: string) {
  const options = { sessionId: createUuid(7), turns: 90 }
  const text = SESSIONS[format](
    format === 'codex' ? createCodexSession(options) : createClaudeSession(options),
  )
  expect(findLeaks(text).length).toBe(PLANTS.length)
  writeFixture(join(home, 'a.jsonl'), text)
  return text
}

describe.each(casesOf(['claude-code', 'codex'] as const))(
  'secrets of a session of %s',
  { tags: 'property' },
  (format) => {
    test('reach no summary, report, page or excerpt, and come back with the original', {
      tags: 'slow',
    }, async () => {
      const home = createHome()
      const text = createPlanted(format, home)
      const pin = `password: ${PLANTS[0]?.[0]}`
      const compress = [
        'compress',
        'a.jsonl',
        '--strategy',
        'tail-summary',
        '--budget',
        '6000',
        '--pin',
        pin,
      ]
      const commands = [
        [...compress, '--out', 'b.jsonl', '--json'],
        [...compress, '--out', 'c.jsonl', '--verbose'],
        ['inspect', 'a.jsonl', '--json'],
        ['inspect', 'a.jsonl', '--html', 'inspect.html'],
        ['recall', 'b.jsonl', 'password', 'token', 'secret', 'key', '--json', '--limit', '1000'],
        ['recall', 'b.jsonl', ...PLANTS.slice(0, 20).map(([secret]) => secret)],
        ['diff', 'b.jsonl', '--json'],
        ['diff', 'b.jsonl', '--full'],
        ['diff', 'b.jsonl', '--html', 'diff.html'],
        ['check', 'a.jsonl', '--json'],
        ['compress', `password=${PLANTS[1]?.[0]}`],
      ]
      for (const words of commands) {
        const { stdout, stderr } = await runPrecis(home, words)
        expect(stdout + stderr, words.join(' ')).not.toBe('')
        expect(findLeaks(stdout + stderr), words.join(' ')).toEqual([])
      }
      for (const page of ['inspect.html', 'diff.html'])
        expect(findLeaks(readFileSync(join(home, page), 'utf8'))).toEqual([])
      const result = readFileSync(join(home, 'b.jsonl'), 'utf8')
      expect(result).toContain('[redacted: precis restore]')
      expect((await runPrecis(home, ['restore', 'b.jsonl'])).stdout).toBe(text)
    })

    test('reach no prompt of a summarizing model, and none that it writes reaches the result', {
      tags: 'slow',
    }, async () => {
      const source = createMemorySource(Buffer.from(createPlanted(format, createHome())))
      const conversation = formats[format].parse(source)
      const prompts: string[] = []
      const said = PLANTS.map(([secret, plant]) => plant(secret)).join('\n')
      const model: LanguageModel = {
        name: 'test/model',
        contextWindowTokens: 1_000_000,
        maxOutputTokens: 100_000,
        countTokens: (text) => text.length / 4,
        generate: async ({ prompt }) => {
          prompts.push(prompt)
          return {
            type: 'text',
            text: `<summary>The person wants the tax of the carts to be right.\n${said}</summary>`,
            finishReason: 'stop',
            usage: { calls: 1, inputTokens: 1, outputTokens: 1 },
          }
        },
      }
      const { conversation: result } = await compressConversation(conversation, {
        counter: createTokenCounter(findModel('claude-opus-4-5')),
        summarizer: modelSummarizer(model),
        budgetTokens: 12_000,
      })
      expect(prompts.length).toBeGreaterThan(0)
      expect(prompts.flatMap(findLeaks)).toEqual([])
      expect(
        result.messages.map((message) => readSummary(message) ?? '').flatMap(findLeaks),
      ).toEqual([])
    })
  },
)
