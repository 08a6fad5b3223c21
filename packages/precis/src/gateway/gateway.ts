/**
 * The contract of the gateway: everything passes byte for byte, except what an action changes.
 *
 *   client ──► server ──► relay ─────────────────────────► upstream
 *                 │  a body that may need an action
 *                 ▼
 *               acts, in a worker thread, with a deadline ──► pass │ replace │ answer │ refuse
 */

import type { Overflow, Usage } from '@precis/core'
import type { ApiName } from '@precis/core/apis'
import type { SentBefore } from '@precis/core/following'
import type { RequestHeaders } from '../agents/shared/wire.ts'
import type { ArchivePlace } from '../compression/ports.ts'

/** The upstream of a request. */
export type UpstreamName =
  | 'anthropic'
  | 'openai'
  | 'chatgpt'
  | 'google'
  | 'google-internal'
  | 'bedrock'
  | 'vertex'

export interface GatewayOptions {
  /** 0 for any free port. */
  readonly port: number
  readonly host: string
  /** Base addresses, `http://` or `https://`. */
  readonly upstreams: Readonly<Record<UpstreamName, string>>
  /** Required from every client if other machines can reach the gateway. */
  readonly token?: string | undefined
  /**
   * The archive's database: a file or an address. The user's own archive by default. It contains
   * the state of conversations too.
   */
  readonly database?: string | undefined
  /** Where the archive stores what actions remove. Undefined if the user wants nothing kept. */
  readonly archive: ArchivePlace | undefined
  /** Overrides the known window of each model. */
  readonly windowTokens?: number | undefined
  /** Whether it compresses requests if that saves money. */
  readonly saves: boolean
  /**
   * Whether WebSockets of agents pass, although no action is possible in them. If not, agents are
   * told to use HTTP.
   */
  readonly relaysWebSockets?: boolean | undefined
  /** For people: what could not be done, in one line, with nothing of a request. */
  readonly note: (text: string) => void
}

/** The purpose of an API's address. */
export type RequestPurpose = 'generate' | 'count' | 'compact' | 'other'

/** Where a request goes, according to its address and headers. */
export interface Route {
  readonly upstream: UpstreamName
  /** Undefined if such a request always passes. */
  readonly api: ApiName | undefined
  readonly purpose: RequestPurpose
  /** The model, if the address names it. */
  readonly model: string | undefined
}

/** The owner of a conversation. */
export interface Owner {
  /**
   * A keyed hash of the credential, in hexadecimal digits. State of one owner is never read for
   * another.
   */
  readonly id: string
  /** As the agent names it. Undefined if the headers name none. */
  readonly session: string | undefined
  /** The agent, according to its headers. */
  readonly agent: string | undefined
}

/** The window of a conversation. */
export interface AskedWindow {
  /**
   * As the user configured it or the upstream reported it. If undefined, the known window of the
   * model is used.
   */
  readonly windowTokens: number | undefined
}

/** A request that may need an action, passed to a worker thread. Plain data. */
export interface ActRequest extends AskedWindow {
  readonly api: ApiName
  readonly purpose: RequestPurpose
  /** Includes its query. */
  readonly path: string
  readonly model: string | undefined
  readonly headers: RequestHeaders
  readonly body: Uint8Array
  readonly owner: Owner
  /**
   * The tool that searches removed text, as later requests of the session offered it to the model.
   */
  readonly recallTool?: string | undefined
  /** The session's latest request, for a thread that has not seen it. */
  readonly sentBefore?: SentBefore | undefined
  /**
   * The upstream's answer that the request was too long. The request then becomes shorter than it
   * was sent.
   */
  readonly overflow?: Overflow
  /** The body that was refused, if an action had replaced the original. */
  readonly refused?: Uint8Array | undefined
}

/**
 * What to do with a request. If an action was expected, `pass` contains the reason in one word for
 * the page.
 */
export type ActResult =
  | ({ readonly type: 'pass' } & Partial<Passed>)
  /** The reason, if another action was expected too. */
  | ({
      readonly type: 'replace'
      readonly body: Uint8Array
      readonly record?: ActRecord
    } & Partial<Passed>)
  | {
      readonly type: 'answer'
      readonly contentType: string
      readonly body: Uint8Array
      readonly record: ActRecord
    }
  /** Has the shape of the provider's own error. */
  | {
      readonly type: 'refuse'
      readonly status: number
      readonly body: Uint8Array
      readonly record: ActRecord
    }

/** Why an expected action was not taken. */
export interface Passed {
  readonly reason: PassReason
  readonly problem?: string | undefined
}

/** `unknown`: it looks like an agent's compaction, but no known agent sends it exactly so. */
export type PassReason = 'fits' | 'unknown' | 'too-late' | 'failed' | 'refused'

/** An action that was taken, for the page, the metrics and the session's account. */
export interface ActRecord {
  readonly act: 'answer' | 'guard' | 'save' | 'restore'
  /** Milliseconds since 1970, and the duration. */
  readonly time: number
  readonly milliseconds: number
  readonly model: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** The archive's entry with the removed text. Undefined if nothing was kept. */
  readonly archived?: string | undefined
  /** Words of the user and facts: how many were kept, and how many there were before. */
  readonly facts?: { readonly kept: number; readonly before: number }
  /** Why it was refused or what failed, for the user. */
  readonly problem?: string
}

/** The worker threads. */
export interface Acts {
  /**
   * Whether a worker thread has to handle a request, according to its bytes, without parsing them.
   */
  isDue(request: ActRequest): boolean
  /**
   * Never rejects. It waits for a thread and then works, each no longer than its limit, and passes
   * the request after that. `client` is aborted when nobody waits for the answer any more, and the
   * work stops.
   */
  decide(request: ActRequest, client?: AbortSignal): Promise<ActResult>
  /**
   * Called when a request is sent to its provider. Requests of some agents are kept, and the
   * session's next request waits for that.
   */
  begin(request: ActRequest): void
  /**
   * Called when an answer has ended, for accounts and for kept requests. Does not delay the
   * request.
   */
  observe(request: ActRequest, answer: ObservedAnswer): void
  /** Answers requests of other gateways. Never rejects. */
  serve(request: SidecarRequest, client?: AbortSignal): Promise<SidecarAnswer>
  close(): Promise<void>
}

/** For messages of another gateway, in the form that LiteLLM, Kong and Portkey use. Plain data. */
export type SidecarRequest =
  | ({
      readonly type: 'compress'
      readonly owner: Owner
      /** JSON. */
      readonly body: Uint8Array
      /** Whether the messages have to be returned unchanged. */
      readonly isBypassed: boolean
    } & AskedWindow)
  | {
      readonly type: 'retrieve'
      readonly owner: Owner
      /** The beginning of the hash of an original, or the name of its entry. */
      readonly reference: string
      /** Words to search for. If undefined, the whole original is returned. */
      readonly query?: string | undefined
      /** The number of one record. */
      readonly span?: string | undefined
    }

export interface SidecarAnswer {
  readonly status: number
  /** JSON. */
  readonly body: string
  /** Present if messages became shorter. */
  readonly record?: ActRecord
}

/** How the upstream, or an action, answered. */
export interface ObservedAnswer {
  readonly status: number
  readonly usage: Usage | undefined
  readonly milliseconds: number
  /** Time until the first byte of the body, if an upstream sent it. */
  readonly firstByteMilliseconds?: number | undefined
  /** The name in the answer. If undefined, the request's name applies. */
  readonly model?: string | undefined
}
