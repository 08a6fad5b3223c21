import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { RICH, SESSION_ID, toLog } from '../../../../core/src/formats/qwen-code/session.suite.ts'
import { createMemorySource } from '../../files/read-document.ts'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { useScratchHome } from '../scratch-home.suite.ts'
import { qwenCode } from './qwen-code.ts'

const home = useScratchHome()
const source = createMemorySource(Buffer.from(toLog(RICH)))

test('a session is listed from chats alone, with its title and the size of its context', () => {
  const project = join(home.path, '.qwen', 'projects', '-work-project')
  for (const name of [
    `chats/${SESSION_ID}.jsonl`,
    `chats/${SESSION_ID}.runtime.json`,
    `subagents/${SESSION_ID}.jsonl`,
  ]) {
    const path = join(project, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, toLog(RICH))
  }
  expect(listSessionFiles([qwenCode]).map(describeSession)).toMatchObject([
    {
      id: SESSION_ID,
      title: 'the bug',
      firstPrompt: 'Find the bug.',
      workingDirectory: '/work/project',
      contextTokens: 15_005,
    },
  ])
})

test('each answer is a request, with the cached tokens apart', () => {
  expect(qwenCode.readRequests(source)).toMatchObject([
    { record: 2, id: 'a1', input: 6_000, cachedInput: 9_000, output: 5 },
    { record: 9, id: 'a2', model: 'qwen3-coder-plus' },
    { record: 13, id: 'a3' },
  ])
})

test('a compression is found, with its trigger, its sizes and its summary', () => {
  expect(qwenCode.readCompactions?.(source)).toMatchObject([
    {
      record: 6,
      trigger: 'manual',
      by: 'agent',
      tokensBefore: { value: 90_000, isEstimated: false },
      tokensAfter: { value: 9_000, isEstimated: false },
      summary: '<state_snapshot>\nall of it\n</state_snapshot>',
    },
  ])
})

test('its timeline has what came before a compression, each message with its line', () => {
  const { timed, compactions } = qwenCode.readTimeline?.(source) ?? {}
  expect(compactions).toBe(1)
  expect(timed?.map(({ records }) => records)).toEqual([
    [0],
    [2],
    [3],
    [8],
    [9],
    [10, 11],
    [12],
    [13],
  ])
})

test('the window of the model is the one that an answer notes', () => {
  const noted = [...RICH, { ...RICH[2], contextWindowSize: 1_000_000 }]
  const known = createMemorySource(Buffer.from(toLog(noted)))
  expect(qwenCode.readWindowTokens?.(known)).toBe(1_000_000)
  expect(qwenCode.readWindowTokens?.(source)).toBeUndefined()
})

test('another home is the one that its variables name', () => {
  expect(qwenCode.findHome({ QWEN_HOME: '/q' })).toBe('/q/projects')
  expect(qwenCode.findHome({ QWEN_HOME: '/q', QWEN_RUNTIME_DIR: '/r' })).toBe('/r/projects')
})
