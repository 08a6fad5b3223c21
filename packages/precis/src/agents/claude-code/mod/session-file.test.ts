import { claudeCode } from '@precis/core/formats'
import { expect, test } from 'vitest'
import { load } from './mod.suite.ts'
import { copyEarlier, readPiece, splitPart, writeSessionFile } from './session-file.ts'

const MEBIBYTE = 1 << 20

// A turn is a request, a call with 600 kB of output, and an answer.
const turns = (count: number) => {
  let parentUuid: string | null = null
  const chain = (uuid: string, type: string, content: unknown) => {
    const entry = { sessionId: 's', uuid, parentUuid, isSidechain: false, type }
    parentUuid = uuid
    return JSON.stringify({ ...entry, message: { id: `m-${uuid}`, role: type, content } })
  }
  return [...Array(count).keys()].flatMap((turn) => [
    chain(`u${turn}`, 'user', `Request ${turn}.`),
    chain(`c${turn}`, 'assistant', [{ type: 'tool_use', id: `t${turn}`, name: 'Bash', input: {} }]),
    chain(`r${turn}`, 'user', [
      { type: 'tool_result', tool_use_id: `t${turn}`, content: `${turn} `.repeat(300_000) },
    ]),
    chain(`a${turn}`, 'assistant', [{ type: 'text', text: `Answer ${turn}.` }]),
  ])
}

test('a large part is read in pieces of whole turns that are the part again', () => {
  const part = turns(10).join('\n')
  const pieces = [...splitPart(part)]
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(part)
  for (const piece of pieces) expect(piece.length).toBeLessThan(4 * MEBIBYTE)
  const without = (text: string) => readPiece(text).map(({ role, parts }) => [role, parts.length])
  expect(pieces.flatMap(without)).toEqual(without(part))
})

test('one turn that is larger than a piece is cut where it must be', () => {
  const [request = '', ...work] = turns(30).filter((line) => !line.includes('"content":"Request'))
  const pieces = [...splitPart([request, ...work].join('\n'))]
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(10 * MEBIBYTE)
  expect(pieces.length).toBeGreaterThan(1)
})

test('a copy of a large part is the copy of the whole, and the agent is called between its pieces', async () => {
  const { $ } = load()
  const before = `${turns(10).join('\n')}`
  const boundary = JSON.stringify({ type: 'system', subtype: 'compact_boundary', uuid: 'b' })
  const file = { parts: [before, boundary], isCut: false, bytesRead: 0 }
  let calls = 0
  const clock = { ...$.clock, now: async () => ++calls }
  const copy = await copyEarlier({ ...$, clock }, file, 'new')
  const whole = claudeCode.serialize(claudeCode.parse(`${before}\n`), {
    sessionId: 'new',
    timestamp: new Date(1).toISOString(),
    title: 'Before the compaction',
    createId: () => 'id',
  })
  expect(copy === whole).toBe(true)
  expect(calls).toBeGreaterThan(2)
})

test.each([
  ['tee', ['tee']],
  ['node', ['tee', 'node']],
])(
  'a large session is written by %s, if the programs before it are missing',
  async (found, asked) => {
    const { $ } = load()
    const started: string[] = []
    const run = async ([program = '']: readonly string[]) => {
      started.push(program)
      if (program !== found) throw new Error('spawn ENOENT')
      return { exitCode: 0, stdout: '', stderr: '' }
    }
    await writeSessionFile({ ...$, process: { run } }, '/s.jsonl', 'x'.repeat(5 * MEBIBYTE))
    expect(started).toEqual(asked)
  },
)

test('a large session without any of the programs is refused with their names', async () => {
  const text = 'x'.repeat(5 * MEBIBYTE)
  await expect(writeSessionFile(load().$, '/s.jsonl', text)).rejects.toThrow('"tee" or "node"')
})
