import type { ChildProcess } from 'node:child_process'
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CommandResult, createHome, startPrecis, writeFixture } from '../cli/command.suite.ts'
import { describeFiles, listFiles, readResults, writeSessions } from '../compression/home.suite.ts'
import { hasPostgres, startPostgres, type TestServer } from '../database/postgres.suite.ts'
import { type JobRequest, readFinished, removeJob, submitJob } from './jobs.ts'
import { openQueue, type Queue } from './open-queue.ts'

const MINUTE = 60_000

let server: TestServer
let address: string
let home: string
let paths: string[]
const workers = new Set<ChildProcess>()

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres()
}, MINUTE)

afterAll(async () => {
  if (hasPostgres) await server.stop()
}, MINUTE)

beforeEach(async () => {
  if (hasPostgres) address = await server.createDatabase()
  home = createHome()
  paths = writeSessions(home, 2)
}, MINUTE)

afterEach(() => {
  for (const worker of workers) worker.kill('SIGKILL')
})

interface Told {
  readonly input: string
  readonly output?: string
  readonly outcome: string
  readonly reason?: string
  readonly error?: { readonly code: string; readonly message: string }
}

interface Submitted extends CommandResult {
  readonly report: {
    readonly sessions: readonly Told[]
    readonly compressed: number
    readonly failed: number
  }
}

const ALL = ['compress', '--all', '--larger-than', '1000', '--json']

async function submit(
  words: readonly string[] = [],
  onStart?: (child: ChildProcess) => void,
): Promise<Submitted> {
  const environment = { PRECIS_DATABASE: address }
  const result = await startPrecis(home, [...ALL, '--queue', ...words], {
    environment,
    ...(onStart && { onStart }),
  })
  return { ...result, report: JSON.parse(result.stdout || '{}') }
}

/** On a machine with no other files. */
function startWorker(
  words: readonly string[] = [],
  onStart?: (child: ChildProcess) => void,
): Promise<CommandResult> {
  return startPrecis(createHome(), ['worker', '--database', address, '--jobs', '1', ...words], {
    onStart(child) {
      workers.add(child)
      onStart?.(child)
      child.on('exit', () => workers.delete(child))
    },
  })
}

async function countRows(): Promise<object | undefined> {
  const [row] = await server.query(
    address,
    `SELECT (SELECT count(*)::integer FROM precis_queue.job) AS jobs,
       (SELECT count(*)::integer FROM precis_queue.content) AS contents`,
  )
  return row
}

test('a job goes with its contents in one step, so that a kill leaves no content alone', async () => {
  const steps: string[] = []
  const query = async (sql: string) => {
    steps.push(sql)
    return []
  }
  await removeJob({ query } as unknown as Queue, '00000000-0000-4000-8000-000000000000')
  expect(steps).toEqual([expect.stringMatching(/\.job[^;]*\.content/s)])
})

describe.skipIf(!hasPostgres)(
  'a queue of PostgreSQL (needs its binaries)',
  { tags: 'slow' },
  () => {
    test('gives what compressing here gives, touches no original and keeps nothing', {
      timeout: MINUTE,
    }, async () => {
      const here = createHome()
      writeSessions(here, 2)
      expect((await startPrecis(here, ALL)).code).toBe(0)
      const before = describeFiles(paths)
      const worker = startWorker()
      const { code, report } = await submit()
      expect(code).toBe(0)
      expect(report.compressed).toBe(10)
      expect(readResults(home)).toEqual(readResults(here))
      expect(describeFiles(paths)).toEqual(before)
      expect(await countRows()).toEqual({ jobs: 0, contents: 0 })
      const environment = { PRECIS_DATABASE: address }
      const restored = await startPrecis(home, ['restore', report.sessions[0]?.output ?? ''], {
        environment,
      })
      expect(restored.stdout).toBe(readFileSync(report.sessions[0]?.input ?? '', 'utf8'))
      for (const child of workers) child.kill('SIGTERM')
      expect((await worker).code).toBe(0)
      expect((await submit()).report).toMatchObject({ compressed: 0, skipped: 20, failed: 0 })
    })

    test('does every session once while its workers are killed', {
      timeout: 4 * MINUTE,
    }, async () => {
      writeSessions(home, 6, { first: 3 })
      let isDone = false
      const dieTwice = async () => {
        for (let deaths = 0; deaths < 2 && !isDone; deaths++) {
          // In the middle of its second session, if there is one.
          await startWorker(['--verbose'], (child) => {
            child.stderr?.on('data', (text: Buffer) => {
              if (text.includes('compressed'))
                void setTimeout(300 * Math.random()).then(() => child.kill('SIGKILL'))
            })
          })
        }
        if (!isDone) void startWorker()
      }
      const dying = Promise.all([dieTwice(), dieTwice(), dieTwice()])
      const { report } = await submit()
      isDone = true
      // A worker that gets no job from the others would wait forever.
      for (const child of workers) child.kill('SIGKILL')
      await dying
      expect(report).toMatchObject({ compressed: 40, failed: 0 })
      expect(new Set(report.sessions.map(({ output }) => output)).size).toBe(40)
      expect(readResults(home).size).toBe(40)
      expect(await countRows()).toEqual({ jobs: 0, contents: 0 })
    })

    test('goes on where a submitter was killed', { timeout: 3 * MINUTE }, async () => {
      void startWorker()
      for (const delayMs of [1500, 2500, 4000]) {
        await submit([], (child) => void setTimeout(delayMs).then(() => child.kill('SIGKILL')))
      }
      const { code, report } = await submit()
      expect(report.sessions.filter(({ outcome }) => outcome === 'failed')).toEqual([])
      expect(code).toBe(0)
      expect(readResults(home).size).toBe(10)
      expect(listFiles(home).filter((path) => path.endsWith('.tmp'))).toEqual([])
      // A submitter that was killed right after it placed a result left its job, with its contents.
      const [row] = await server.query(
        address,
        `SELECT count(*)::integer AS orphans FROM precis_queue.content
           WHERE job NOT IN (SELECT id FROM precis_queue.job)`,
      )
      expect(row).toEqual({ orphans: 0 })
    })

    test('keeps a job for an hour whose submitter is killed between the result and its removal', {
      timeout: 2 * MINUTE,
    }, async () => {
      const removing =
        "SELECT pid FROM pg_stat_activity WHERE query LIKE '%DELETE FROM precis_queue.job%' AND wait_event = 'PgSleep'"
      void startWorker()
      await submit(['--agent', 'pi'], async (child) => {
        // The submitter creates the tables.
        const wait = `CREATE FUNCTION precis_queue.wait() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN PERFORM pg_sleep(600); RETURN OLD; END';
          CREATE TRIGGER wait BEFORE DELETE ON precis_queue.job FOR EACH ROW EXECUTE FUNCTION precis_queue.wait()`
        const install = () => server.query(address, wait).then(() => true)
        while (!(await install().catch(() => false))) await setTimeout(50)
        while ((await server.query(address, removing)).length < 2) await setTimeout(50)
        child.kill('SIGKILL')
      })
      // As if the last words of the submitter had not arrived.
      await server.query(address, removing.replace('pid', 'pg_terminate_backend(pid)'))
      await server.query(address, 'DROP FUNCTION precis_queue.wait CASCADE')
      for (const child of workers) child.kill('SIGKILL')
      expect(readResults(home).size).toBe(2)
      expect(await countRows()).toMatchObject({ jobs: 2 })
      expect((await startWorker(['--drain'])).code).toBe(0)
      expect(await countRows()).toMatchObject({ jobs: 2 })
      const later = "UPDATE precis_queue.job SET completed_on = completed_on - interval '1 hour'"
      await server.query(address, later)
      expect((await startWorker(['--drain'])).code).toBe(0)
      expect(await countRows()).toEqual({ jobs: 0, contents: 0 })
      expect((await submit(['--agent', 'pi'])).report).toMatchObject({ compressed: 0, failed: 0 })
    })

    test('does not age a job that was taken and submitted again', async () => {
      const queue = await openQueue(address, { isKeeper: false, onAway: () => {} })
      try {
        const id = '00000000-0000-4000-8000-000000000000'
        const ticket = { precis: '1', sha256: '', request: {} as JobRequest }
        await submitJob(queue, id, ticket, async () => Buffer.from('{}'))
        const jobs = () =>
          server.query(address, 'SELECT state::text, completed_on FROM precis_queue.job')
        const finishedBefore = async () => ({ state: 'failed', output: {} })
        const old = { ...queue, boss: { getJobById: finishedBefore } } as unknown as Queue
        expect(await readFinished(queue, id, '')).toBeUndefined()
        expect(await readFinished(old, id, '')).toMatchObject({ outcome: { type: 'failed' } })
        expect(await jobs()).toEqual([{ state: 'created', completed_on: null }])
        await server.query(address, "UPDATE precis_queue.job SET state = 'failed'")
        await readFinished(queue, id, '')
        expect(await jobs()).toEqual([{ state: 'failed', completed_on: expect.any(Date) }])
      } finally {
        await queue.close()
      }
    })

    test('goes on when the server ends every connection', { timeout: 2 * MINUTE }, async () => {
      void startWorker()
      let isDone = false
      const cut = (async () => {
        while (!isDone) {
          await setTimeout(700)
          await server.query(
            address,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'precis queue'",
          )
        }
      })()
      const { report, code, stderr } = await submit()
      isDone = true
      await cut
      expect(`${code} ${stderr}`).toMatch(
        /^0 (?:precis: the database (?:does not answer\. Waiting for it|is back)\.\n)*$/,
      )
      expect(report).toMatchObject({ compressed: 10, failed: 0 })
    })

    test('tells why a session failed, and does the others', { timeout: MINUTE }, async () => {
      const [broken = ''] = paths
      writeFixture(broken, readFileSync(broken, 'utf8').replaceAll('"type"', '"kind"'))
      utimesSync(broken, 1000, 1000)
      void startWorker()
      const { code, report } = await submit()
      expect(code).toBe(1)
      expect(report).toMatchObject({ compressed: 9, failed: 1 })
      expect(report.sessions.find(({ outcome }) => outcome === 'failed')?.input).toBe(broken)
      expect(await countRows()).toEqual({ jobs: 0, contents: 0 })
    })

    test('tries again what a worker has no key for, three times', { timeout: MINUTE }, async () => {
      void startWorker()
      const { code, report } = await submit(['--agent', 'pi', '--summarizer', 'openai/gpt-5'])
      expect(code).toBe(1)
      const [failure] = report.sessions.filter(({ outcome }) => outcome === 'failed')
      expect(failure?.error?.message).toContain('OPENAI_API_KEY')
      expect(failure?.error?.message).toContain('3 times')
    })

    test('sends no path of this machine', { timeout: MINUTE }, async () => {
      let requests: object[] = []
      await submit(['--agent', 'pi'], async (child) => {
        while (requests.length < 2) {
          await setTimeout(200)
          requests = await server
            .query(address, 'SELECT data::text AS data FROM precis_queue.job')
            .catch(() => [])
        }
        child.kill('SIGKILL')
      })
      expect(JSON.stringify(requests)).toContain('summarizer')
      expect(JSON.stringify(requests)).not.toContain(home)
    })

    test('refuses what a newer precis submitted, in words', { timeout: MINUTE }, async () => {
      const submitting = submit(['--agent', 'pi'])
      const change =
        'UPDATE precis_queue.job SET data = data || \'{"version": 99, "precis": "9.9.9"}\''
      // The submitter creates the tables.
      let changed: object[] = []
      while (changed.length < 2) {
        await setTimeout(200)
        changed = await server.query(address, `${change} RETURNING id`).catch(() => [])
      }
      void startWorker()
      const { report } = await submitting
      expect(report.failed).toBe(2)
      expect(report.sessions[0]?.error?.message).toContain('precis 9.9.9, which is newer')
    })

    test('does the others where a request is damaged', { timeout: MINUTE }, async () => {
      const submitting = submit(['--agent', 'pi'])
      const count = async () =>
        await server.query(address, 'SELECT id FROM precis_queue.job').catch(() => [])
      // The submitter creates the tables.
      while ((await count()).length < 2) await setTimeout(200)
      const damage = `UPDATE precis_queue.job SET data = data || '{"request": "no JSON"}' WHERE id = (
      SELECT id FROM precis_queue.job ORDER BY id LIMIT 1)`
      await server.query(address, damage)
      const worker = startWorker(['--drain', '--json'])
      const { report } = await submitting
      expect(report).toMatchObject({ compressed: 1, failed: 1 })
      const failed = report.sessions.find(({ outcome }) => outcome === 'failed')
      expect(failed?.error?.message).toContain('its request cannot be read')
      expect((await worker).code).toBe(0)
      expect(await countRows()).toEqual({ jobs: 0, contents: 0 })
    })

    test.each([
      ['before a worker has it', "state < 'active'"],
      ['when a worker is done', "state = 'completed'"],
    ])(
      'puts nothing in place of an original that changes %s',
      { timeout: MINUTE },
      async (_, when) => {
        const submitting = submit(['--agent', 'pi'])
        const isDone = when.includes('completed')
        if (isDone) void startWorker()
        const damage = `UPDATE precis_queue.content SET bytes = bytes || '\\x20' WHERE job IN (
      SELECT id FROM precis_queue.job WHERE ${when}) RETURNING job`
        // A result may have been read just before, so that all of them are damaged.
        let isOver = false
        void submitting.finally(() => {
          isOver = true
        })
        while (!isOver) {
          await setTimeout(20)
          const damaged = await server.query(address, damage).catch(() => [])
          if (!isDone && damaged.length > 0) break
        }
        if (!isDone) void startWorker()
        const { report } = await submitting
        expect(report.failed).toBeGreaterThan(0)
        expect(
          report.sessions.find(({ outcome }) => outcome === 'failed')?.error?.message,
        ).toContain('not what was submitted')
      },
    )

    test('ends with what is under way when it is told to, and when nothing is left', {
      timeout: MINUTE,
    }, async () => {
      const submitting = submit()
      await setTimeout(2000)
      const draining = await startWorker(['--drain', '--json'])
      expect(draining.code).toBe(0)
      expect(JSON.parse(draining.stdout)).toMatchObject({ compressed: 10, failed: 0 })
      expect((await submitting).report.compressed).toBe(10)
      const idle = startWorker()
      await setTimeout(1500)
      for (const child of workers) child.kill('SIGINT')
      expect((await idle).code).toBe(130)
    })

    test.runIf(process.platform === 'linux')(
      'finishes what is under way when a supervisor tells each of its processes to end',
      { timeout: MINUTE },
      async () => {
        const submitting = submit()
        let isTold = false
        const { code, stderr } = await startWorker(['--verbose'], (child) => {
          child.stderr?.on('data', (text: Buffer) => {
            if (isTold || !text.includes('compressed')) return
            isTold = true
            const place = `/proc/${child.pid}/task/${child.pid}/children`
            const own = readFileSync(place, 'utf8').split(' ').filter(Boolean).map(Number)
            // In the middle of the next session.
            void setTimeout(150).then(() => {
              for (const id of [child.pid ?? 0, ...own]) process.kill(id, 'SIGTERM')
            })
          })
        })
        expect({ code, failed: stderr.includes('failed  ') }).toEqual({ code: 0, failed: false })
        const rest = startWorker(['--drain'])
        expect((await submitting).report.compressed).toBe(10)
        expect((await rest).code).toBe(0)
      },
    )

    test('says that no worker is there, and that a database does not answer', {
      timeout: MINUTE,
    }, async () => {
      const { code, report } = await submit([], (child) => {
        child.stderr?.on('data', (text: Buffer) => {
          if (text.includes('no worker is at it')) child.kill('SIGINT')
        })
      })
      expect(code).toBe(130)
      expect(report).toMatchObject({ compressed: 0, waiting: 10 })
      const none = await startPrecis(home, [
        'worker',
        '--database',
        'postgres://nobody@127.0.0.1:1/none',
      ])
      expect(none.code).toBe(1)
      expect(none.stderr).toContain('no server answers there')
      const file = await startPrecis(home, ['worker', '--database', join(home, 'archive.db')])
      expect(file.code).toBe(2)
    })
  },
)
