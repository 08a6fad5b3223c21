/**
 * An agent on the wire: how its requests name their session, how it asks for its own compaction and
 * what it takes for an answer, and how it is pointed at a gateway. Requests are data: what is not
 * exactly as the agent sends it is not its own.
 */
import type { ApiEvent, ApiName, TextAnswer } from '@precis/core/apis'
import type { JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry, StartCommand } from './file-entry.ts'

/** Names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** One request of a client to the API of a provider. */
export interface WireRequest {
  readonly api: ApiName
  /** With its query: `/v1/messages?beta=true`. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly body: JsonObject
}

export interface AgentWire {
  /**
   * The session that a request names; undefined where the headers are not those of this agent. A
   * subagent has one of its own.
   */
  readSession(headers: RequestHeaders): string | undefined
  /**
   * Every request to compact holds one of these in its bytes, or its headers say so: others are not
   * even parsed.
   */
  readonly marks: readonly string[]
  /** Whether the headers say that this is a request to compact, whatever its body is. */
  announcesCompaction?(headers: RequestHeaders): boolean
  /** Undefined unless all parts of the request are as the agent sends them. Never throws. */
  readCompaction(request: WireRequest): CompactionRequest | undefined
  /**
   * Where its compaction requests have the history as text: every request with the history itself
   * holds this in its bytes, and the newest one of each session is kept.
   */
  readonly historyMark?: string
  /**
   * The summary of precis inside of the words that the agent puts around it when it comes back in a
   * message; the text is that of one part of a message. Undefined for all other texts.
   */
  unwrapSummary(text: string): string | undefined
  /**
   * What the provider is to get for a message that an answer of precis became; undefined for every
   * other message.
   */
  restoreMessage?(message: JsonObject): JsonObject | undefined
  /**
   * Where what the user typed stays in its history before a summary: requests with such a summary
   * hold one of these in their bytes, and the provider is not told twice.
   */
  readonly summaryMarks?: readonly string[]
  /**
   * What its requests hold in their bytes when they offer the recall tool, where that is not the
   * tool's name in quotation marks.
   */
  readonly recallMark?: string
  /** How `precis wrap` starts it. */
  readonly launch: Launch
  /**
   * Entries in its own files that point it at a gateway; without them `precis install --gateway`
   * says why.
   */
  listGatewayEntries?(environment: Environment, gateway: GatewayAddress): readonly SettingsEntry[]
}

/** An agent's own request to compact. */
export interface CompactionRequest {
  /**
   * What is to be summarized, in the form of the API; `session`: the messages of the session's
   * newest request before this one.
   */
  readonly messages: readonly object[] | 'session'
  /**
   * Of a session: what the text that it sends has behind the newest request, whose messages are
   * given as JSON. Undefined where they are not what that text is of, as where other requests took
   * another way.
   */
  readonly findNewest?: (sent: string) => string | undefined
  /** The words of the user after the command, when there are some. */
  readonly instructions?: string
  /** An answer that was given before and is asked for once more. */
  readonly repeated?: string
  /** How many of the newest messages the agent keeps beside the summary, as far as it says so. */
  readonly keptMessages?: number
  /** The summary as the agent wants it written. */
  wrapSummary(summary: string): string
  /** An answer that is no text of the model; by default it is one. */
  createAnswer?(answer: TextAnswer): {
    readonly body: JsonObject
    readonly events: readonly ApiEvent[]
  }
}

export interface GatewayAddress {
  /**
   * `http://127.0.0.1:4141`, without a slash at the end; a gateway that wants a token has it in
   * there.
   */
  readonly url: string
  /** Whether requests really go on to the provider that the agent was made for. */
  readonly isVendor: boolean
}

export interface Launch {
  /** As a shell finds it: `claude`. */
  readonly program: string
  /** What installs it, for people who have not. */
  readonly install: string
  /** The gateway's name of the provider that it was made for: `anthropic`. */
  readonly upstream: string
  /**
   * Base addresses that its user has chosen already, by the gateway's names: the gateway is to send
   * requests on to them. `directory` is where the agent is started.
   */
  findUpstreams(
    environment: Environment,
    directory: string,
  ): Readonly<Record<string, string | undefined>>
  /** What a user sets or types to point it at a gateway; undefined if that takes more than a line. */
  renderSetting?(url: string): string
  plan(request: LaunchRequest): LaunchPlan
}

export interface LaunchRequest {
  readonly gateway: GatewayAddress
  readonly environment: Environment
  /** The MCP server with the tool that looks up what was removed: a program and all its words. */
  readonly server: StartCommand
  /** In which the agent is started. Absolute. */
  readonly directory: string
  /** A folder of this child process alone, removed after it. Absolute. */
  readonly folder: string
}

/** All of it is gone with the child process. */
export interface LaunchPlan {
  /** Added to those of the child process; undefined takes one away. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Before those of the user. */
  readonly arguments: readonly string[]
  /** In `folder`. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /**
   * The recall tool as the agent shows it to its model; undefined where it cannot be given this
   * way.
   */
  readonly recallTool: string | undefined
  /** What does not go through the gateway, and why, for the user. */
  readonly note?: string | undefined
}

/**
 * The address of a gateway for a client that adds the path of a call to this one: with a version
 * where this one has one.
 */
export const replaceAddress = (base: string, { url }: GatewayAddress): string =>
  /\/v\d+\w*\/*$/.test(base) ? `${url}/v1` : url
