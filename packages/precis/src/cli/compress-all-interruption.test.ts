/** @module-tag slow */
import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { describeFiles, listFiles, readResults, writeSessions } from '../compression/home.suite.ts'
import { createHome, startPrecis } from './command.suite.ts'

const ALL = ['compress', '--all', '--larger-than', '1000', '--jobs', '2']
const KILLS = 8
const MINUTES = 240_000

describe('compress --all that is interrupted', () => {
  test.each([
    ['with an archive', []],
    ['without one', ['--no-archive']],
  ])('is done in the end, nothing twice, %s', { timeout: MINUTES }, async (_, words) => {
    const home = createHome()
    const paths = writeSessions(home, 3)
    const before = describeFiles(paths)
    const whole = createHome()
    writeSessions(whole, 3)
    const startedAt = performance.now()
    await startPrecis(whole, [...ALL, ...words])
    const durationMs = performance.now() - startedAt
    for (let kill = 0; kill < KILLS; kill++) {
      const signal = kill % 2 === 0 ? 'SIGKILL' : 'SIGINT'
      // Later each time, so that every run gets further than the one before.
      const afterMs = durationMs * (0.2 + (0.8 * (kill + Math.random())) / KILLS)
      const onStart = (child: ChildProcess) =>
        void setTimeout(afterMs).then(() => child.kill(signal))
      await startPrecis(home, [...ALL, ...words], { onStart })
    }
    const last = await startPrecis(home, [...ALL, ...words, '--json'])
    expect(last.code).toBe(0)
    expect(readResults(home)).toEqual(readResults(whole))
    expect(describeFiles(paths)).toEqual(before)
    const left = listFiles(home).filter((path) => path.endsWith('.tmp') || path.includes('/locks/'))
    expect(left).toEqual([])
    const again = JSON.parse((await startPrecis(home, [...ALL, ...words, '--json'])).stdout)
    expect(again).toMatchObject({ compressed: 0, failed: 0, skipped: 30 })
    if (words.length === 0) expect((await startPrecis(home, ['archive', 'verify'])).code).toBe(0)
  })

  test('ends with 130, tells what is done and leaves no process', async () => {
    const home = createHome()
    writeSessions(home, 4)
    const onStart = (child: ChildProcess) =>
      void child.stdout?.once('data', () => {
        child.kill('SIGINT')
      })
    const { code, stdout, stderr } = await startPrecis(home, [...ALL, '--verbose'], { onStart })
    expect(code).toBe(130)
    expect(stdout).toMatch(/Interrupted: \d+ sessions? left\. Run it again to continue\./)
    expect(stderr).toContain('interrupted')
    expect(await waitForProcesses(home)).toEqual([])
  })

  test('loses one session with a process that dies, and no other', async () => {
    const home = createHome()
    writeSessions(home, 4)
    let killed = 0
    const onStart = (child: ChildProcess) =>
      void child.stdout?.once('data', async () => {
        for (let tries = 0; tries < 50 && killed === 0; tries++) {
          const [job] = listProcesses(home).filter((id) => Number(id) !== child.pid)
          if (job !== undefined) killed += Number(process.kill(Number(job), 'SIGKILL'))
          await setTimeout(20)
        }
      })
    const { code, stdout } = await startPrecis(home, [...ALL, '--verbose'], { onStart })
    expect(stdout.match(/^failed .* died/gm)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(stdout.match(/^(?:compressed|failed) /gm)).toHaveLength(20)
    expect(killed).toBe(1)
    expect(code).toBe(stdout.includes('\nfailed') ? 1 : 0)
  })

  test('leaves no process when it is killed', async () => {
    const home = createHome()
    writeSessions(home, 4)
    const onStart = (child: ChildProcess) =>
      void child.stdout?.once('data', () => child.kill('SIGKILL'))
    await startPrecis(home, [...ALL, '--verbose'], { onStart })
    expect(await waitForProcesses(home)).toEqual([])
  })
})

/** Processes that still exist after a while, if the system can list them. */
async function waitForProcesses(home: string): Promise<string[]> {
  let processes = listProcesses(home)
  for (let waits = 0; waits < 50 && processes.length > 0; waits++) {
    await setTimeout(200)
    processes = listProcesses(home)
  }
  return processes
}

function listProcesses(home: string): string[] {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc').filter((id) => {
    try {
      return (
        /^\d+$/.test(id) &&
        readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(`HOME=${home}`)
      )
    } catch {
      // It ended meanwhile.
      return false
    }
  })
}
