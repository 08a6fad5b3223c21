import type { ChildProcess } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { removeUnfinished, writeFileAtomically } from '../files/write-file.ts'
import {
  createClaudeSession,
  createHome,
  runPrecis,
  startPrecis,
  writeFixture,
} from './command.suite.ts'

let home: string
let session: string

beforeAll(() => {
  home = createHome()
  const text = createClaudeSession({
    sessionId: 'bbbbbbbb-1111-4222-8333-444444444444',
    turns: 40,
    linesPerRead: 60,
  })
  session = writeFixture(join(home, 'large.jsonl'), text)
})

const KILLS = 8

describe('an interrupted compression', () => {
  test('leaves the old file or a whole new one, whenever it is killed', {
    tags: 'slow',
  }, async () => {
    const whole = join(home, 'whole.jsonl')
    const started = performance.now()
    await runPrecis(home, ['compress', session, '--out', whole])
    const durationMs = performance.now() - started
    const out = join(home, 'out', 'killed.jsonl')
    for (let run = 0; run < KILLS; run++) {
      writeFixture(out, 'old')
      const afterMs = (durationMs * (run + 0.5)) / KILLS
      const onStart = (child: ChildProcess) => setTimeout(() => child.kill('SIGKILL'), afterMs)
      await startPrecis(home, ['compress', session, '--out', out], { onStart })
      // Its ids are new each time, but of the same length.
      expect([3, statSync(whole).size]).toContain(statSync(out).size)
    }
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends after %s with %i and leaves nothing', async (signal, exitCode) => {
    const empty = createHome()
    const { code, stdout, stderr } = await startPrecis(
      empty,
      ['compress', '-', '--out', 'out.jsonl'],
      {
        keepsInputOpen: true,
        onStart: (child) => interruptOnceReading(child, signal),
      },
    )
    expect(code).toBe(exitCode)
    expect(stdout).toBe('')
    expect(stderr).toBe('precis: interrupted.\n')
    expect(readdirSync(empty)).toEqual([])
  })

  test('removes what it has begun to write', async () => {
    const empty = createHome()
    const target = join(empty, 'new', 'folder', 'file.jsonl')
    const endless = function* () {
      for (;;) {
        yield new Uint8Array(1 << 20)
        removeUnfinished()
        throw new Error('interrupted')
      }
    }
    await expect(writeFileAtomically(target, endless(), { createFolders: true })).rejects.toThrow(
      'interrupted',
    )
    expect(readdirSync(empty)).toEqual([])
  })
})

/**
 * Resolves when the pipe is being read. A pipe only accepts more than its buffer if a process reads
 * it, and only a reading process handles signals itself.
 */
function interruptOnceReading(child: ChildProcess, signal: NodeJS.Signals): void {
  child.stdin?.write(Buffer.alloc(1 << 20, ' '), () => child.kill(signal))
}
