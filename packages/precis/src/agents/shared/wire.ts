/**
 * An agent's requests: how they name their session, how they ask for a compaction, which answer the
 * agent accepts, and how it is configured to use a gateway. Requests are untrusted data. If a
 * request is not exactly as the agent sends it, it is not the agent's.
 */
import type { Message } from '@precis/core'
import type { ApiEvent, ApiName, TextAnswer } from '@precis/core/apis'
import type { JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry, StartCommand } from './file-entry.ts'

/** Names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** One request of a client to the API of a provider. */
export interface WireRequest {
  readonly api: ApiName
  /** Includes its query: `/v1/messages?beta=true`. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: JsonObject
}

export interface AgentWire {
  /**
   * The session that a request names. Undefined if the headers are not from this agent. A subagent
   * has its own session.
   */
  readSession(headers: RequestHeaders): string | undefined
  /**
   * Every request to compact contains one of these bytes, or its headers announce it. Other
   * requests are not even parsed.
   */
  readonly marks: readonly string[]
  /** Whether the headers announce a request to compact, whatever its body is. */
  announcesCompaction?(headers: RequestHeaders): boolean
  /** Undefined unless all parts of the request are as the agent sends them. Never throws. */
  readCompaction(request: WireRequest): CompactionRequest | undefined
  /**
   * For agents whose compaction requests contain the history as text. Every request with the
   * history itself contains these bytes. The latest such request of each session is kept.
   */
  readonly historyMark?: string
  /**
   * The summary by precis, without the words that the agent puts around it when it comes back in a
   * message. The text is one part of a message. Undefined for all other texts.
   */
  unwrapSummary(text: string): string | undefined
  /**
   * What the provider gets instead of a message that an answer by precis became. Undefined for
   * every other message.
   */
  restoreMessage?(message: JsonObject): JsonObject | undefined
  /**
   * For agents that keep what the user typed before a summary. Requests with such a summary contain
   * one of these bytes, and the provider gets the words only once.
   */
  readonly summaryMarks?: readonly string[]
  /**
   * What its requests contain if they offer the recall tool. If undefined, it is the tool's name in
   * quotation marks.
   */
  readonly recallMark?: string
  /** How `precis wrap` starts it. */
  readonly launch: Launch
  /**
   * Entries in its own files that make it use a gateway. If undefined, `precis install --gateway`
   * reports why it cannot.
   */
  listGatewayEntries?(environment: Environment, gateway: GatewayAddress): readonly SettingsEntry[]
}

/** The history of a compaction, among messages that were sent. */
export interface PlacedHistory {
  /** The last message with words of the user or a call of this history. The agent keeps the rest. */
  readonly last: number
  /** The part of the text after the latest request. */
  readonly newest: string
}

/** An agent's own request to compact. */
export interface CompactionRequest {
  /**
   * What is to be summarized, in the form of the API. `session`: the messages of the session's
   * latest request before this one.
   */
  readonly messages: readonly object[] | 'session'
  /**
   * For `session`: where the request's text ends among the messages of the latest request.
   * Undefined if the text does not contain these messages, for example if other
   * requests went another way.
   */
  readonly placeHistory?: (sent: readonly Message[]) => PlacedHistory | undefined
  /** The user's words after the command, if there are any. */
  readonly instructions?: string
  /** An earlier answer that is requested again. */
  readonly repeated?: string
  /** The summary as the agent wants it written. */
  wrapSummary(summary: string): string
  /** An answer in another form than the model's text, which is the default. */
  createAnswer?(answer: TextAnswer): {
    readonly body: JsonObject
    readonly events: readonly ApiEvent[]
  }
}

export interface GatewayAddress {
  /**
   * `http://127.0.0.1:4141`, with no slash at the end. If a gateway requires a token, the address
   * contains it.
   */
  readonly url: string
  /** Whether requests really reach the provider that the agent was made for. */
  readonly isVendor: boolean
}

/** Addresses of gateways in a text without their tokens, for people. */
export function hideToken(text: string): string {
  return text.replace(/(https?:\/\/[^\s"'<>]{0,300}?\/t\/)[^\s"'<>/\\]+/g, '$1…')
}

export interface Launch {
  /** The name in a shell: `claude`. */
  readonly program: string
  /** The command that installs it. */
  readonly install: string
  /** The gateway's name of the provider that it was made for: `anthropic`. */
  readonly upstream: string
  /**
   * Base addresses that its user has chosen already, by the gateway's names. The gateway sends
   * requests there. `directory` is where the agent is started.
   */
  findUpstreams(
    environment: Environment,
    directory: string,
  ): Readonly<Record<string, string | undefined>>
  /**
   * What a user sets or types so that it uses a gateway. Undefined if that takes more than one
   * line.
   */
  renderSetting?(url: string): string
  plan(request: LaunchRequest): LaunchPlan
}

export interface LaunchRequest {
  readonly gateway: GatewayAddress
  readonly environment: Environment
  /** The MCP server with the tool that searches removed text: a program and all its words. */
  readonly server: StartCommand
  /** The folder in which the agent is started. Absolute. */
  readonly directory: string
  /** A folder for this child process only, removed after it. Absolute. */
  readonly folder: string
}

/** All of it is removed when the child process ends. */
export interface LaunchPlan {
  /** Added to the variables of the child process. Undefined removes a variable. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** They come before the user's arguments. */
  readonly arguments: readonly string[]
  /** They are in `folder`. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /**
   * The recall tool as the agent shows it to its model. Undefined if it cannot be added this way.
   */
  readonly recallTool: string | undefined
  /** For the user: what does not go through the gateway, and why. */
  readonly note?: string | undefined
}

/**
 * The address of a gateway for a client that appends the path of a call. It has a version if `base`
 * has one.
 */
export const replaceAddress = (base: string, { url }: GatewayAddress): string =>
  /\/v\d+\w*\/*$/.test(base) ? `${url}/v1` : url
