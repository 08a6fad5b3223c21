/**
 * The contract of the gateway: everything passes byte for byte, but for what an act changes.
 *
 *   client ──► server ──► relay ─────────────────────────► upstream
 *                 │  a body that may need an act
 *                 ▼
 *               acts, in a worker thread, with a deadline ──► pass │ replace the body │ answer │ refuse
 */
import type { ApiName } from '@precis/core/apis'
import type { Overflow, Usage } from '@precis/core/context'
import type { RequestHeaders } from '../agents/shared/wire.ts'
import type { ArchivePlace } from '../compression/ports.ts'

/** Which upstream a request goes to. */
export type UpstreamName =
  | 'anthropic'
  | 'openai'
  | 'chatgpt'
  | 'google'
  | 'google-internal'
  | 'bedrock'
  | 'vertex'

export interface GatewayOptions {
  /** 0 for any that is free. */
  readonly port: number
  readonly host: string
  /** Base addresses, `http://` or `https://`. */
  readonly upstreams: Readonly<Record<UpstreamName, string>>
  /** Asked of every client when the gateway listens beyond this machine. */
  readonly token?: string | undefined
  /**
   * The archive's database: a file or an address; the user's own by default. The state of
   * conversations is there too.
   */
  readonly database?: string | undefined
  /** The archive as it takes what acts remove; undefined where the user wants nothing kept. */
  readonly archive: ArchivePlace | undefined
  /** Instead of what is known of each model. */
  readonly windowTokens?: number | undefined
  /** Whether it compresses where that pays. */
  readonly saves: boolean
  /**
   * Whether WebSockets of agents pass, to which nothing can be done; otherwise they are told to use
   * HTTP, as they can.
   */
  readonly relaysWebSockets?: boolean | undefined
  /** For people: what could not be done. One line; nothing of a request. */
  readonly note: (text: string) => void
}

/** What is asked of an address of an API. */
export type RequestPurpose = 'generate' | 'count' | 'compact' | 'other'

/** Where a request goes, by its address and headers alone. */
export interface Route {
  readonly upstream: UpstreamName
  /** Undefined where nothing is ever done but to pass it. */
  readonly api: ApiName | undefined
  readonly purpose: RequestPurpose
  /** Where the address names it. */
  readonly model: string | undefined
}

/** Whose a conversation is. */
export interface Owner {
  /**
   * A keyed hash of the credential, in hexadecimal digits; state of one owner is never read for
   * another.
   */
  readonly id: string
  /** As the agent names it; undefined where the headers name none. */
  readonly session: string | undefined
  /** The agent, by its headers. */
  readonly agent: string | undefined
}

/** A request that may need an act, handed to a worker thread. Plain data. */
export interface ActRequest {
  readonly api: ApiName
  readonly purpose: RequestPurpose
  /** With its query. */
  readonly path: string
  readonly model: string | undefined
  readonly headers: RequestHeaders
  readonly body: Uint8Array
  readonly owner: Owner
  /**
   * Window of the conversation in tokens, as given or as the upstream said; undefined: what is
   * known of the model.
   */
  readonly windowTokens: number | undefined
  /**
   * The tool that looks up what was removed, as newer requests of the session offered it to the
   * model.
   */
  readonly recallTool?: string | undefined
  /**
   * The upstream's answer that the request was too long; the request is then made shorter than it
   * was sent.
   */
  readonly overflow?: Overflow
  /** What that was said of, where an act had replaced the body. */
  readonly refused?: Uint8Array | undefined
}

/**
 * What is to be done with a request. `pass` says why in a word for the page, where something was
 * expected.
 */
export type ActResult =
  | ({ readonly type: 'pass' } & Partial<Passed>)
  /** It may also be one of which something else was expected. */
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
  /** In the shape of the provider's own error. */
  | {
      readonly type: 'refuse'
      readonly status: number
      readonly body: Uint8Array
      readonly record: ActRecord
    }

/** Why what was expected of a request was not done. */
export interface Passed {
  readonly reason: PassReason
  readonly problem?: string | undefined
}

/** `unknown`: it looks like an agent's compaction, and is not as any agent is known to send it. */
export type PassReason = 'fits' | 'unknown' | 'too-late' | 'failed' | 'refused'

/** An act that was done, for the page, the metrics and the session's account. */
export interface ActRecord {
  readonly act: 'answer' | 'guard' | 'save' | 'restore'
  /** Milliseconds since 1970, and how long it took. */
  readonly time: number
  readonly milliseconds: number
  readonly model: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** The entry of the archive that holds what was removed; undefined where nothing was kept. */
  readonly archived?: string | undefined
  /** Words of the user and facts: kept and there before. */
  readonly facts?: { readonly kept: number; readonly before: number }
  /** Why it was refused or what went wrong, in words. */
  readonly problem?: string
}

/** The worker threads. */
export interface Acts {
  /** Whether a request has to be handed over: by its bytes alone, without parsing them. */
  isDue(request: ActRequest): boolean
  /** Never rejects, and never takes longer than its deadline: the request passes then. */
  decide(request: ActRequest): Promise<ActResult>
  /**
   * Called when a request goes on to its provider: of some agents it is kept, and the next request
   * of the session waits for that.
   */
  begin(request: ActRequest): void
  /**
   * Called when an answer ended, for accounts and for what is kept of a session. Takes no time of
   * the request's.
   */
  observe(request: ActRequest, answer: ObservedAnswer): void
  /** What other gateways ask of this one. Never rejects. */
  serve(request: SidecarRequest): Promise<SidecarAnswer>
  close(): Promise<void>
}

/**
 * For messages of another gateway, in the shape that LiteLLM, Kong and Portkey ask for. Plain data.
 */
export type SidecarRequest =
  | {
      readonly type: 'compress'
      readonly owner: Owner
      /** JSON. */
      readonly body: Uint8Array
      /** Whether the messages are to be given back as they are. */
      readonly isBypassed: boolean
      /** Instead of what is known of each model. */
      readonly windowTokens: number | undefined
    }
  | {
      readonly type: 'retrieve'
      readonly owner: Owner
      /** The beginning of the hash of an original, or the name of its entry. */
      readonly reference: string
      /** Words to look for; without any the whole original is given. */
      readonly query?: string | undefined
      /** The number of one record. */
      readonly span?: string | undefined
    }

export interface SidecarAnswer {
  readonly status: number
  /** JSON. */
  readonly body: string
  /** For messages that are shorter than they came. */
  readonly record?: ActRecord
}

/** How the upstream, or an act, answered. */
export interface ObservedAnswer {
  readonly status: number
  readonly usage: Usage | undefined
  readonly milliseconds: number
  /** Until the first byte of the body, where an upstream sent it. */
  readonly firstByteMilliseconds?: number | undefined
  /** As the answer names it; undefined: as the request does. */
  readonly model?: string | undefined
}
