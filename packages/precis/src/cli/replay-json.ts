import type { Replay, ReplayedRequest, ReplayRun } from '../evaluation/replay/replay.ts'

/** What `replay --json` prints; fields in docs/commands/replay.md. */
export function toReplayJson(replay: Replay): object {
  const { runs, hasPrices, ...settings } = replay
  const firstTooLarge = runs[0]?.firstTooLarge ?? null
  return {
    ...settings,
    model: settings.model || null,
    unit: hasPrices ? 'dollars' : 'input-tokens',
    doingNothing: { possible: firstTooLarge === null, firstTooLarge },
    runs: runs.map(toRunJson),
  }
}

function toRunJson(run: ReplayRun): object {
  const { without, with: compressed, needed, missing, compressions } = run
  return {
    cacheLifetimeSeconds: run.cacheLifetimeSeconds ?? null,
    without,
    with: compressed,
    saved: {
      money: without.money - compressed.money,
      share: without.money > 0 ? 1 - compressed.money / without.money : 0,
    },
    needed,
    missing,
    firstRefused: run.firstRefused ?? null,
    compressions,
    requests: run.requests.map(toRequestJson),
  }
}

function toRequestJson({ time, secondsSinceLast, ...request }: ReplayedRequest): object {
  return { ...request, time: time ?? null, secondsSinceLast: secondsSinceLast ?? null }
}
