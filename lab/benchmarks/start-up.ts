import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compare, type Row } from './measure.ts'

const COMMAND = fileURLToPath(new URL('../../packages/precis/bin/precis.js', import.meta.url))
const SESSION = fileURLToPath(new URL('../../examples/rate-limiter.jsonl', import.meta.url))
const SESSION_ID = '3f2a9c1e-5b7d-4e86-9a40-c2d81f06b735'
const REPORT = 'report.cjs'
const RUNS = 15
// A fifth of the rest is compiling modules, a fifth the archive of originals.
const COMPRESS_AIM = 9
const MOST_OF_COMPRESS = 11
const MICROSECONDS = 1000

interface Times {
  /** Of the fastest. */
  wallMs: number
  /** Of all: the system counts it in ticks that are longer than some runs. */
  userMs: number
}

/** The command in processes of its own, beside a `node` that does nothing. */
export async function measureStartUp(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-start-'))
  try {
    const hook = (path: string) =>
      JSON.stringify({ session_id: 'x', transcript_path: path, trigger: 'manual' })
    const stored = join(folder, 'stored.jsonl')
    const text = readFileSync(SESSION, 'utf8')
    writeFileSync(
      join(folder, REPORT),
      "process.on('exit', () => require('fs').writeSync(3, String(process.cpuUsage().user)))",
    )
    const runs = {
      bare: run(folder, ['-e', '0']),
      version: run(folder, [COMMAND, '--version']),
      help: run(folder, [COMMAND, '--help']),
      idleHook: run(folder, [COMMAND, 'hook', 'claude-code'], hook(join(folder, 'none.jsonl'))),
      hook: run(folder, [COMMAND, 'hook', 'claude-code'], hook(stored)),
      compress: run(folder, [COMMAND, 'compress', SESSION, '--out', join(folder, 'result.jsonl')]),
    }
    // One after the other, so that whatever else the machine does slows down all of them.
    for (let round = 0; round < RUNS; round++) {
      // Another session each time: what is in the archive already is not stored again.
      writeFileSync(stored, text.replaceAll(SESSION_ID, randomUUID()))
      for (const each of Object.values(runs)) each.repeat()
    }
    const { bare, version, help, idleHook, hook: storing, compress } = runs
    const wall = (name: string, { times }: typeof bare, limit: number) =>
      compare(`${name} over \`node -e 0\``, times.wallMs / bare.times.wallMs, limit)
    return [
      wall(`\`precis --version\` (${version.times.wallMs.toFixed(0)} ms)`, version, 1.3),
      wall('`precis --help` in a pipe', help, 1.3),
      wall('`precis hook` with nothing to keep', idleHook, 1.5),
      wall('`precis hook` that keeps a session of 300 kB', storing, 4),
      compare(
        `user time of \`precis compress\` of the example over \`node -e 0\`, aim × ${COMPRESS_AIM}`,
        compress.times.userMs / bare.times.userMs,
        MOST_OF_COMPRESS,
      ),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Processes of the same kind, in a home where precis was used before, and their times. */
function run(
  folder: string,
  words: readonly string[],
  input = '',
): { readonly times: Times; repeat(): void } {
  const times: Times = { wallMs: Number.POSITIVE_INFINITY, userMs: 0 }
  return {
    times,
    repeat() {
      const started = performance.now()
      const { output } = spawnSync(
        process.execPath,
        ['--require', join(folder, REPORT), ...words],
        {
          input,
          env: {
            ...process.env,
            HOME: join(folder, 'home'),
            XDG_DATA_HOME: '',
            XDG_CONFIG_HOME: '',
          },
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        },
      )
      times.wallMs = Math.min(times.wallMs, performance.now() - started)
      times.userMs += Number(output[3]) / MICROSECONDS
    },
  }
}
