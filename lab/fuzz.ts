/**
 * Checks every promise of the engine on as many random histories as are asked for, on all
 * processors: half of them in precis' own terms, and half as requests of providers whose rules a
 * judge knows that shares no code with it, every fourth of those in live contexts, followers,
 * clones, conversions and compactions that hosts ask for too, and as many damaged ones that are
 * checked and repaired.
 *
 *   npm run fuzz -- 1000000 [seed]
 *
 * A failure prints the seed and the path that make it again, and the smallest history that shows
 * it.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { checkPromises, promiseCases } from '../packages/core/src/engine/promises.suite.ts'
import * as library from '../packages/core/src/index.ts'
import { damagedCases, findDisagreements } from '../test/judge/judged-checks.ts'
import { checkCompression, judgedCases } from '../test/judge/judged-compression.ts'
import { judgeConversions } from '../test/judge/judged-conversion.ts'
import { checkUses } from '../test/judge/judged-uses.ts'

// Small enough that progress is seen, large enough that starting one costs nothing.
const BATCH = 500
const WORKER = '--worker'

interface Batch {
  readonly seed: number
  readonly runs: number
}

type Reply =
  | {
      readonly type: 'done'
      readonly runs: number
      readonly outcomes: Readonly<Record<string, number>>
    }
  | { readonly type: 'failed'; readonly seed: number; readonly report: string }

async function run({ seed, runs }: Batch): Promise<Reply> {
  const outcomes: Record<string, number> = {}
  const note = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  const half = Math.floor(runs / 2)
  const quarter = Math.floor(half / 4)
  const promises = fc.asyncProperty(promiseCases, async (given) =>
    note((await checkPromises(given)).outcome.type),
  )
  const requests = fc.asyncProperty(judgedCases, async (given) =>
    note(await checkCompression(library, given)),
  )
  const uses = fc.asyncProperty(judgedCases, async (given) => {
    await checkUses(given)
    const [fault] = judgeConversions(given)
    if (fault) throw new Error(`${fault.kind} (${fault.detail})`)
  })
  const checks = fc.asyncProperty(damagedCases, async (given) => {
    const [disagreement] = findDisagreements(given)
    if (disagreement) throw new Error(`${disagreement.rule} (${disagreement.detail})`)
  })
  const report =
    (await findFailure(promises, { seed, numRuns: runs - half })) ??
    (half > 0 ? await findFailure(requests, { seed, numRuns: half }) : undefined) ??
    (quarter > 0 ? await findFailure(uses, { seed, numRuns: quarter }) : undefined) ??
    (half > 0 ? await findFailure(checks, { seed, numRuns: half }) : undefined)
  return report === undefined ? { type: 'done', runs, outcomes } : { type: 'failed', seed, report }
}

/** The promise that is broken, and what fast-check says of the smallest case that breaks it. */
async function findFailure<Case>(
  property: fc.IAsyncProperty<Case>,
  parameters: fc.Parameters<Case>,
): Promise<string | undefined> {
  const details = await fc.check(property, parameters)
  if (!details.failed) return undefined
  return `${String(details.errorInstance)}\n${await fc.asyncDefaultReportMessage(details)}`
}

function serve(): void {
  process.on('message', (batch: Batch) => {
    run(batch).then(
      (reply) => process.send?.(reply),
      (error: unknown) =>
        process.send?.({ type: 'failed', seed: batch.seed, report: String(error) } satisfies Reply),
    )
  })
}

async function lead(total: number, firstSeed: number): Promise<boolean> {
  const count = Math.max(1, Math.min(availableParallelism(), Math.ceil(total / BATCH)))
  const workers = Array.from({ length: count }, () =>
    fork(fileURLToPath(import.meta.url), [WORKER]),
  )
  const startedAt = performance.now()
  const outcomes = new Map<string, number>()
  let given = 0
  let done = 0
  let failed = false
  const drive = async (worker: ChildProcess): Promise<void> => {
    while (given < total && !failed) {
      const runs = Math.min(BATCH, total - given)
      const seed = firstSeed + given
      given += runs
      const reply = await new Promise<Reply>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('exit', (code) =>
          reject(new Error(`A worker ended with ${code} at seed ${seed}.`)),
        )
        worker.send({ seed, runs } satisfies Batch)
      })
      worker.removeAllListeners('exit')
      if (reply.type === 'failed') {
        failed = true
        console.error(`\nseed ${reply.seed}: ${reply.report}`)
        return
      }
      done += reply.runs
      for (const [type, count] of Object.entries(reply.outcomes))
        outcomes.set(type, (outcomes.get(type) ?? 0) + count)
      const seconds = (performance.now() - startedAt) / 1000
      process.stderr.write(
        `\r${done} of ${total} histories, ${Math.round(done / seconds)} a second `,
      )
    }
  }
  await Promise.all(workers.map(drive)).finally(() => {
    for (const worker of workers) worker.kill()
  })
  const sums = [...outcomes].map(([type, count]) => `${count} ${type}`).join(', ')
  console.log(
    `\n${done} histories checked: ${sums}. ${failed ? 'A promise is broken.' : 'Every promise held.'}`,
  )
  return !failed
}

const [first] = process.argv.slice(2)
if (first === WORKER) serve()
else {
  const [total = 10_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number)
  if (!Number.isSafeInteger(total) || total < 1 || !Number.isSafeInteger(seed)) {
    console.error(
      'Fuzzing: give the number of histories, for example `npm run fuzz -- 1000000`, and a seed if wanted.',
    )
    process.exitCode = 2
  } else process.exitCode = (await lead(total, seed)) ? 0 : 1
}
