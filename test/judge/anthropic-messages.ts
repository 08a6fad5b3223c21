/**
 * Anthropic's Messages API. Sources: platform.claude.com/docs, tool-use (handle-tool-calls,
 * server-tools, programmatic-tool-calling), compaction, mid-conversation-system-messages; the texts
 * of its 400 errors are quoted where they name a rule.
 */
import {
  AWAITED,
  EMPTY,
  isObject,
  type JsonObject,
  type Piece,
  type ProviderRules,
  readList,
  readText,
  roleOf,
  Sentence,
  typeOf,
  type Violation,
} from './provider.ts'

export const anthropicMessages: ProviderRules = { name: 'anthropic-messages', readPieces, judge }

const SERVER_CALLS = new Set(['server_tool_use', 'mcp_tool_use'])
// A result of a type that does not exist yet is named like those that do.
const isServerResult = (block: JsonObject): boolean => typeOf(block).endsWith('_tool_result')
const isResult = (block: JsonObject): boolean => typeOf(block) === 'tool_result'

function readPieces(body: JsonObject): Piece[] {
  return readList(body.messages).flatMap((record, message) =>
    readList(record.content).map((value): Piece => {
      const type = typeOf(value)
      const side =
        record.role === 'assistant'
          ? 'model'
          : record.role === 'system'
            ? 'operator'
            : isResult(value)
              ? 'result'
              : 'user'
      return { message, side, type, value }
    }),
  )
}

interface Turn {
  readonly role: unknown
  readonly at: number
  readonly blocks: JsonObject[]
}

/** Messages of one role in a row are one turn to the API. */
function joinTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = []
  messages.forEach(({ role, content }, at) => {
    const last = turns.at(-1)
    if (last && last.role === role && role !== 'system') last.blocks.push(...readList(content))
    else turns.push({ role, at, blocks: readList(content) })
  })
  return turns
}

function judge(body: JsonObject): Violation[] {
  const sentence = new Sentence()
  const messages = readList(body.messages)
  messages.forEach((message, at) => {
    judgeContent(message, at, at === messages.length - 1, sentence)
  })
  sentence.demand(
    countCacheMarks(body) <= 4,
    'cache-marks',
    'at most 4 blocks with cache_control may be given',
  )
  judgePlacesOfSystem(messages, sentence)
  const turns = joinTurns(fromCompaction(messages))
  const [first] = turns
  sentence.demand(first !== undefined, EMPTY, 'messages is empty')
  sentence.demand(
    first === undefined || first.role === 'user' || isCompaction(first.blocks[0]),
    'first-message',
    'the first message is of the user, or begins with a compaction block',
  )
  judgeCalls(turns, sentence)
  judgeServerCalls(turns, sentence)
  // Nothing says that what is ignored may be broken.
  const all = joinTurns(messages)
  if (all.length > turns.length) {
    judgeCalls(all, sentence)
    judgeServerCalls(all, sentence)
  }
  return sentence.violations
}

export const isCompaction = (block: JsonObject | undefined): boolean =>
  block !== undefined && typeOf(block) === 'compaction' && readText(block, 'content') !== undefined

/** All content before the newest compaction block is ignored. */
function fromCompaction(messages: readonly JsonObject[]): JsonObject[] {
  const at = messages.findLastIndex(({ content }) => readList(content).some(isCompaction))
  const message = messages[at]
  if (!message) return [...messages]
  const blocks = readList(message.content)
  const content = blocks.slice(blocks.findLastIndex(isCompaction))
  return [{ ...message, content }, ...messages.slice(at + 1)]
}

function judgeContent(message: JsonObject, at: number, isLast: boolean, sentence: Sentence): void {
  const { content } = message
  const role = roleOf(message)
  sentence.demand(
    role === 'user' || role === 'assistant' || role === 'system',
    'role',
    `messages.${at}: ${role}`,
  )
  const blocks = readList(content)
  const isEmpty = content === '' || blocks.length === 0
  // "all messages must have non-empty content except for the optional final assistant message"
  sentence.demand(
    !isEmpty || (isLast && role === 'assistant'),
    'empty-content',
    `messages.${at} has no content`,
  )
  blocks.forEach((block, index) => {
    const place = `messages.${at}.content.${index}`
    if (typeOf(block) === 'text') {
      // "text content blocks must contain non-whitespace text"
      sentence.demand(
        /\S/.test(readText(block, 'text') ?? ''),
        'empty-text',
        `${place} is an empty text`,
      )
    }
    const isHis =
      SERVER_CALLS.has(typeOf(block)) || typeOf(block) === 'tool_use' || isServerResult(block)
    // "messages.1.content.0.tool_use.id: Field required"
    const idKey =
      isServerResult(block) || isResult(block) ? 'tool_use_id' : isHis ? 'id' : undefined
    sentence.demand(
      idKey === undefined || readText(block, idKey) !== undefined,
      'id-required',
      `${place}: ${typeOf(block)} without ${idKey}`,
    )
    if (isHis && !isResult(block))
      sentence.demand(role === 'assistant', 'role-of-block', `${place}: ${typeOf(block)}`)
    if (isResult(block)) sentence.demand(role === 'user', 'role-of-block', `${place}: tool_result`)
  })
}

function countCacheMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countCacheMarks(one), 0)
  if (!isObject(value)) return 0
  return Object.entries(value).reduce(
    (sum, [key, member]) =>
      sum + (key === 'cache_control' ? (isObject(member) ? 1 : 0) : countCacheMarks(member)),
    0,
  )
}

/**
 * Right after a turn of the user, or an answer that ends in a server tool; before an answer or at
 * the end; never two.
 */
function judgePlacesOfSystem(messages: readonly JsonObject[], sentence: Sentence): void {
  messages.forEach(({ role }, at) => {
    if (role !== 'system') return
    const before = messages[at - 1]
    const last = before && readList(before.content).at(-1)
    const isAfterServerTool =
      last !== undefined && (isServerResult(last) || SERVER_CALLS.has(typeOf(last)))
    const isPlaced = before?.role === 'user' || (before?.role === 'assistant' && isAfterServerTool)
    sentence.demand(
      isPlaced,
      'place-of-system',
      `messages.${at}: a system message after ${before ? roleOf(before) : 'nothing'}`,
    )
    const after = messages[at + 1] && roleOf(messages[at + 1])
    const isFollowed = after === undefined || after === 'assistant'
    sentence.demand(
      isFollowed,
      'place-of-system',
      `messages.${at}: a system message before ${after}`,
    )
  })
}

/**
 * "`tool_use` ids were found without `tool_result` blocks immediately after", and the other way
 * round.
 */
function judgeCalls(turns: readonly Turn[], sentence: Sentence): void {
  const seen = new Set<string>()
  turns.forEach(({ at, blocks }, index) => {
    const calls = readIdsOf(blocks, (block) => typeOf(block) === 'tool_use', 'id')
    const next = turns[index + 1]
    const answers = next?.role === 'user' ? readIdsOf(next.blocks, isResult, 'tool_use_id') : []
    // Nothing but results of other calls of the same answer.
    const isOpen = !next || (index + 2 === turns.length && next.blocks.every(isResult))
    for (const id of calls) {
      sentence.demand(!seen.has(id), 'duplicate-id', `messages.${at}: tool_use ${id} twice`)
      seen.add(id)
      sentence.demand(
        answers.includes(id),
        isOpen ? AWAITED : 'call-without-result',
        `messages.${at}: tool_use ${id}`,
      )
    }
    const before = turns[index - 1]
    const asked =
      before?.role === 'assistant'
        ? readIdsOf(before.blocks, (block) => typeOf(block) === 'tool_use', 'id')
        : []
    // Results come first; text before them ends the turn of the tools.
    const others = blocks.findIndex((block) => !isResult(block))
    sentence.demand(
      others < 0 || !blocks.slice(others).some(isResult),
      'results-first',
      `messages.${at}: a tool_result behind other content`,
    )
    const results = readIdsOf(blocks, isResult, 'tool_use_id')
    for (const id of results) {
      // "unexpected `tool_use_id` found in `tool_result` blocks"
      sentence.demand(
        asked.includes(id),
        'result-without-call',
        `messages.${at}: tool_result ${id}`,
      )
    }
    sentence.demand(
      new Set(results).size === results.length,
      'duplicate-result',
      `messages.${at}: a result twice`,
    )
  })
}

const readIdsOf = (
  blocks: readonly JsonObject[],
  isOne: (block: JsonObject) => boolean,
  key: string,
): string[] => blocks.filter(isOne).flatMap((block) => readText(block, key) ?? [])

/**
 * A server's call and its result are one answer, which may be spread over messages: paused, or
 * waiting for the results of other tools. Such an answer ends where the user writes; one that is
 * still running may lack results.
 */
function judgeServerCalls(turns: readonly Turn[], sentence: Sentence): void {
  let open = new Map<string, number>()
  let asked = new Set<string>()
  let isCodeWaiting = false
  const end = () => {
    // "`web_search` tool use with id … was found without a corresponding `web_search_tool_result`
    // block"
    for (const [id, at] of open)
      sentence.demand(false, 'server-call-without-result', `messages.${at}: ${id}`)
    open = new Map()
    asked = new Set()
  }
  for (const { role, at, blocks } of turns) {
    if (role === 'user' && !blocks.some(isResult)) end()
    // "your response message must contain only `tool_result` blocks"
    const isMixed = role === 'user' && blocks.some(isResult) && !blocks.every(isResult)
    sentence.demand(!isMixed || !isCodeWaiting, 'results-alone', `messages.${at}: results for code`)
    if (role !== 'assistant') continue
    for (const block of blocks) {
      const id = readText(block, 'id')
      if (SERVER_CALLS.has(typeOf(block)) && id !== undefined) {
        sentence.demand(
          !asked.has(id),
          'duplicate-id',
          `messages.${at}: ${typeOf(block)} ${id} twice`,
        )
        asked.add(id)
        open.set(id, at)
      }
      const answered =
        isServerResult(block) && !isResult(block) ? readText(block, 'tool_use_id') : undefined
      if (answered !== undefined) {
        sentence.demand(
          open.delete(answered),
          'server-result-without-call',
          `messages.${at}: ${typeOf(block)} ${answered}`,
        )
      }
      const caller = isObject(block.caller) ? readText(block.caller, 'tool_id') : undefined
      if (caller !== undefined) {
        sentence.demand(
          asked.has(caller),
          'caller-missing',
          `messages.${at}: ${typeOf(block)} was called by ${caller}`,
        )
      }
    }
    isCodeWaiting = blocks.some(
      ({ caller }) => isObject(caller) && open.has(String(caller.tool_id)),
    )
  }
}
