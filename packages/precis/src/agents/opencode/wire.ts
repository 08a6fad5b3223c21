/**
 * An agent without tools summarizes a conversation for OpenCode. It gets the whole conversation as
 * the text of one message (observed with 1.18.33). Each kind of provider gets the message in its
 * own API.
 */
import type { Message, Part } from '@precis/core'
import { asObject, type JsonObject } from '../../files/lines.ts'
import {
  asObjects,
  createFrame,
  readHeader,
  readIdHeader,
  readOnlyText,
} from '../shared/request-text.ts'
import type {
  AgentWire,
  CompactionRequest,
  PlacedHistory,
  RequestHeaders,
  WireRequest,
} from '../shared/wire.ts'
import { launch, listGatewayEntries } from './launch.ts'

const SYSTEM_BEGINNING =
  'You are a context summarization agent. You are given a conversation between a user and an agent.'
const SYSTEM_END = 'Respond in the same language as the conversation.'
const BEGINNING = 'Here is the conversation so far:\n\n<conversation>\n'
const END_OF_HISTORY = '\n</conversation>\n\n'
const TASKS = [
  'Create a new anchored summary from the conversation history in the <conversation> tags above ',
  'Here is the summary of the conversation before the <conversation> above:\n\n<prior-summary>\n',
]
// Only text of a plugin comes after it.
const END = '\n- Do not mention the summary process or that context was compacted.'

// It comes back unchanged as the words of the model.
const { wrapSummary, unwrapSummary } = createFrame('summary')

export const wire: AgentWire = {
  readSession,
  marks: ['You are a context summarization agent.'],
  readCompaction,
  // Requests for titles and summaries have no tools. Inside a text, the quotation marks would be
  // escaped.
  historyMark: '"tools":',
  unwrapSummary,
  launch,
  listGatewayEntries,
}

/** OpenCode's own providers get another header. */
function readSession(headers: RequestHeaders): string | undefined {
  if (readHeader(headers, 'user-agent')?.startsWith('opencode/') !== true) return undefined
  return readIdHeader(headers, 'x-session-id') ?? readIdHeader(headers, 'x-opencode-session')
}

function readCompaction(request: WireRequest): CompactionRequest | undefined {
  const { headers, body } = request
  if (readSession(headers) === undefined || body.tools !== undefined) return undefined
  const texts = readTexts(request)
  const system = texts?.system.trimEnd()
  if (!texts || !system?.startsWith(SYSTEM_BEGINNING) || !system.endsWith(SYSTEM_END))
    return undefined
  const { user } = texts
  const end = user.lastIndexOf(END_OF_HISTORY)
  const task = end < 0 ? '' : user.slice(end + END_OF_HISTORY.length)
  const isDue =
    user.startsWith(BEGINNING) && TASKS.some((text) => task.startsWith(text)) && isWholeTask(task)
  if (!isDue) return undefined
  const history = user.slice(BEGINNING.length - 1, end)
  return { messages: 'session', placeHistory: (sent) => placeHistory(history, sent), wrapSummary }
}

const USER = /\n\[User\]: /g
const CALL = /\n\[Assistant tool call\]: (?<words>[^\n]*)/g

/**
 * OpenCode keeps the latest turns beside the summary, and leaves them out of this text. What the
 * model said and called after the latest request is only here. Results in this text may be cut.
 * Undefined unless all words of the user here were sent: other requests may have gone another way.
 */
function placeHistory(history: string, sent: readonly Message[]): PlacedHistory | undefined {
  const find = createFinder(sent)
  let last: number | undefined
  let place = 0
  for (const { index, 0: label } of history.matchAll(USER)) {
    const start = index + label.length
    const end = history.indexOf('\n[', start)
    last = find('user', history.slice(start, end < 0 ? undefined : end))
    if (last === undefined) return undefined
    place = index
  }
  const newest = history.slice(place)
  let known = 0
  for (const { index, groups } of newest.matchAll(CALL)) {
    const found = find('agent', groups?.words ?? '')
    if (found === undefined) {
      // Everything that was sent is before it.
      if (last !== undefined) last = sent.length - 1
      break
    }
    last = found
    known = index
  }
  if (last === undefined) return undefined
  const start = newest.indexOf('\n[Assistant', known + 1)
  return { last, newest: start < 0 ? '' : newest.slice(start + 1) }
}

interface SentText {
  readonly by: 'user' | 'agent'
  readonly text: string
  /** Where its parts begin. Several messages in a row may have become the parts of one. */
  readonly starts?: readonly number[]
  /** The index of its message. */
  readonly place: number
}

/**
 * Finds whole lines in what was sent, each in another text than the lines before, or as later parts
 * of it. Otherwise a short message, such as "yes", would be found in a file that an earlier message
 * brought along.
 */
function createFinder(sent: readonly Message[]) {
  const texts = sent.flatMap(listTexts)
  let next = 0
  // The end of what was found in the text before the next one.
  let from = 0
  return (by: SentText['by'], lines: string): number | undefined => {
    // Attached files alone have no words, and are in any message.
    const wanted = lines.trim() === '' ? '\n' : `\n${lines}${lines.endsWith('\n') ? '' : '\n'}`
    const open = texts[next - 1]
    const start = open && open.by === by ? findParts(open, wanted, from) : undefined
    if (open && start !== undefined) {
      from = start + wanted.length - 1
      return open.place
    }
    for (let index = next; index < texts.length; index++) {
      const found = texts[index]
      const at = found?.by === by ? found.text.indexOf(wanted) : -1
      if (!found || at < 0) continue
      next = index + 1
      from = at + wanted.length - 1
      return found.place
    }
    return undefined
  }
}

/** The place of parts that are these lines and no others. */
function findParts({ text, starts = [] }: SentText, lines: string, from: number) {
  return starts.find((start) => {
    const end = start + lines.length - 1
    const isWhole = end === text.length - 1 || starts.includes(end)
    return start >= from && isWhole && text.startsWith(lines, start)
  })
}

/** A message of the user, or each call, as OpenCode writes it into its text. */
function listTexts(message: Message, place: number): readonly SentText[] {
  if (message.role === 'user') {
    const starts: number[] = []
    let text = ''
    for (const part of message.parts) {
      if (part.type !== 'text') continue
      starts.push(text.length)
      text += `\n${part.text}`
    }
    return [{ by: 'user', text: `${text}\n`, starts, place }]
  }
  return message.parts.flatMap((part: Part): SentText | readonly [] =>
    part.type === 'tool-call'
      ? { by: 'agent', text: `\n${part.name}(${renderInput(part.input)})\n`, place }
      : [],
  )
}

const renderInput = (input: unknown) => (typeof input === 'string' ? input : JSON.stringify(input))

function isWholeTask(task: string): boolean {
  const end = task.lastIndexOf(END)
  const after = end < 0 ? undefined : task.slice(end + END.length)
  return after === '' || after?.startsWith('\n\n') === true
}

interface Texts {
  readonly system: string
  readonly user: string
}

/** The texts of a request with one system prompt and one message of the user. */
function readTexts({ api, body }: WireRequest): Texts | undefined {
  switch (api) {
    case 'anthropic-messages':
      return join(readOnlyText(body.system), asObjects(body.messages), 'content')
    case 'openai-chat':
      return readWithSystem(asObjects(body.messages))
    case 'openai-responses':
      return body.instructions === undefined
        ? readWithSystem(asObjects(body.input))
        : join(readOnlyText(body.instructions), asObjects(body.input), 'content')
    case 'gemini-contents':
      return join(
        readOnlyText(asObject(body.systemInstruction)?.parts),
        asObjects(body.contents),
        'parts',
      )
  }
}

function readWithSystem(messages: readonly JsonObject[] | undefined): Texts | undefined {
  const [system, ...others] = messages ?? []
  return system?.role === 'system'
    ? join(readOnlyText(system.content), others, 'content')
    : undefined
}

function join(
  system: string | undefined,
  messages: readonly JsonObject[] | undefined,
  member: 'content' | 'parts',
): Texts | undefined {
  const [message] = messages ?? []
  const user = message?.role === 'user' ? readOnlyText(message[member]) : undefined
  return messages?.length === 1 && system !== undefined && user !== undefined
    ? { system, user }
    : undefined
}
