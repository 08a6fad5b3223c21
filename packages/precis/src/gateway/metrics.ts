/**
 * Metrics of a gateway for Prometheus (prometheus.io/docs/practices/naming). They contain nothing
 * of a request except its route.
 */

import type { Usage } from '@precis/core'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ActRecord, PassReason, Route } from './gateway.ts'

/** What happened to a request: an action, or `pass`. */
export type CountedAct = ActRecord['act'] | 'pass'

export interface Metrics {
  /**
   * `milliseconds`: from the arrival of the request until it was sent to the upstream, including an
   * action.
   */
  countRequest(
    route: Route,
    end: { readonly status: number; readonly deed: CountedAct; readonly milliseconds: number },
  ): void
  countTokens(route: Route, usage: Usage): void
  countAct(record: ActRecord): void
  /** A request that passed although an action was expected. */
  countPass(reason: PassReason): void
  /** Begins an exchange. Returns the function that ends it. */
  open(): () => void
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

// A request usually passes in less than a millisecond. An action has a deadline of seconds.
const SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

function createMeters(registers: Registry[]) {
  const requests = new Counter({
    name: 'precis_requests_total',
    help: 'Requests by route, by the status that the client got (0: none) and by what was done',
    labelNames: ['route', 'status', 'act'] as const,
    registers,
  })
  const added = new Histogram({
    name: 'precis_added_seconds',
    help: 'Time between a whole request and its way to the upstream',
    labelNames: ['act'] as const,
    buckets: SECONDS,
    registers,
  })
  const tokens = new Counter({
    name: 'precis_tokens_total',
    help: 'Tokens as upstreams counted them. The input includes cached and written ones',
    labelNames: ['route', 'type'] as const,
    registers,
  })
  const actTokens = new Counter({
    name: 'precis_act_tokens_total',
    help: 'Tokens of what acts replaced, before and after',
    labelNames: ['act', 'when'] as const,
    registers,
  })
  const passed = new Counter({
    name: 'precis_passed_total',
    help: 'Requests that were looked at for an act and passed, by the reason; "unknown": nearly a compaction of an agent',
    labelNames: ['reason'] as const,
    registers,
  })
  const streams = new Gauge({ name: 'precis_open_requests', help: 'Requests under way', registers })
  return { requests, added, tokens, actTokens, passed, streams }
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const { requests, added, tokens, actTokens, passed, streams } = createMeters([registry])
  return {
    countRequest(route, { status, deed, milliseconds }) {
      requests.inc({ route: nameRoute(route), status, act: deed })
      added.observe({ act: deed }, milliseconds / 1000)
    },
    countTokens(found, usage) {
      const route = nameRoute(found)
      for (const one of [usage, usage.compaction ?? []].flat()) {
        tokens.inc({ route, type: 'input' }, one.inputTokens)
        tokens.inc({ route, type: 'output' }, one.outputTokens)
        tokens.inc({ route, type: 'cached' }, one.cachedInputTokens ?? 0)
        tokens.inc({ route, type: 'written' }, one.cacheWriteTokens ?? 0)
      }
    },
    countAct({ act, tokensBefore, tokensAfter }) {
      actTokens.inc({ act, when: 'before' }, tokensBefore)
      actTokens.inc({ act, when: 'after' }, tokensAfter)
    },
    countPass: (reason) => passed.inc({ reason }),
    open() {
      streams.inc()
      return () => streams.dec()
    },
    async render() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

function nameRoute({ upstream, purpose }: Route): string {
  return `${upstream}/${purpose}`
}
