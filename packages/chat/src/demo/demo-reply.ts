import { renderPlural } from '@precis/core/text'

/** A request to the demo, as its script reads it. */
export interface DemoPrompt {
  readonly model: string
  readonly windowTokens: number
  readonly tokens: number
  readonly messages: number
  /** Of the user, oldest first; without what precis wrote. */
  readonly requests: readonly string[]
  /** Of the part that was compressed; empty when nothing was. */
  readonly summary: string
  readonly answers: readonly string[]
  /** Something follows the last request, if only the summary of what did. */
  readonly isBegun: boolean
  /** Since the last request, in order. */
  readonly steps: readonly DemoStep[]
  /** Of every call that is still there, the file it was about. */
  readonly files: readonly string[]
  readonly tools: ReadonlySet<string>
}

export interface DemoStep {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly output: string
  readonly isError: boolean
}

const LONGEST_STORY_WORDS = 3000
const DEFAULT_STORY_WORDS = 600

/** The number of the last sentence of a story; 0 when there is none. */
function findLastNumber(text: string): number {
  const numbers = text.match(/\(\d{1,5}\)/g) ?? []
  return Number(numbers.at(-1)?.slice(1, -1) ?? 0)
}

/**
 * As many words as the request says, in numbered sentences, so that one can see which of them
 * survived.
 */
function tellStory(request: string, told = 0): string {
  const asked = Number(/\b(\d{2,5})\b/.exec(request)?.[1] ?? DEFAULT_STORY_WORDS)
  const words = Math.min(asked, LONGEST_STORY_WORDS)
  const sentences: string[] = []
  for (let count = 0, number = told + 1; count < words; number++) {
    const sentence = writeSentence(number)
    sentences.push(number % 6 === 0 ? `${sentence}\n\n` : `${sentence} `)
    count += sentence.split(' ').length
  }
  return sentences.join('').trim()
}

const [WHO = [], DID = [], WHAT = [], WHY = []] = [
  'The archivist, A young clerk, The night porter, An old cartographer, The printer, Her apprentice',
  'copied, weighed, numbered, bound, lost and found, read aloud',
  'the letters of the harbour, seven maps, the ledger of debts, a drawer of keys, the weather reports',
  'because nobody else would, while the rain went on, and told no one, before the lamps were lit, for the sake of order',
].map((line) => line.split(', '))

function writeSentence(number: number): string {
  const pick = (list: readonly string[], by: number) => list[Math.floor(number * by) % list.length]
  return `(${number}) ${pick(WHO, 1)} ${pick(DID, 0.7)} ${pick(WHAT, 1.3)}, ${pick(WHY, 0.9)}.`
}

/** An answer of the demo, or calls that it wants to be made. */
export interface DemoReply {
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly {
    readonly tool: string
    readonly input: Readonly<Record<string, unknown>>
  }[]
}

// In characters; the beginning says what is wanted.
const LONGEST_REQUEST = 2000
// For a tour of the folder: each step has to fit beside the others.
const WINDOW_TOKENS_PER_STEP = 1500
const MOST_STEPS = 6
const LINES_PER_STEP = 40

/** Follows from the prompt alone. */
export function composeReply(prompt: DemoPrompt): DemoReply {
  const request = (prompt.requests.at(-1) ?? '').trim().slice(0, LONGEST_REQUEST)
  const reply = prompt.steps.length > 0 ? continueAfter(prompt, request) : begin(prompt, request)
  if (reply.calls.length > 0 || prompt.steps.length === 0) return reply
  return { ...reply, text: `${reply.text}\n\n${renderSize(prompt)}` }
}

function begin(prompt: DemoPrompt, request: string): DemoReply {
  // To do it again would lead to the same compression again.
  if (prompt.isBegun)
    return say(
      `What I found was summarized before I could tell of it. ${recollect(prompt)}\n\n${renderSize(prompt)}`,
    )
  const [, reply = respond] = INTENTS.find(([pattern]) => pattern.test(request)) ?? []
  return reply(prompt, request)
}

type Reply = (prompt: DemoPrompt, request: string) => DemoReply

/** The first pattern that the request matches counts. */
const INTENTS: readonly (readonly [pattern: RegExp, reply: Reply])[] = [
  [/^(?:help|hi|hello|hey|what can you do)\b|^\?|^$/i, () => say(WELCOME)],
  [
    /\b(?:do|can) you (?:still )?(?:remember|recall|know)|what (?:have i|did i|have we|did we)|\bremember\?/i,
    (prompt, request) =>
      say(`${recollect(prompt)}${quote(prompt, request)}\n\n${renderSize(prompt)}`),
  ],
  [
    /\b(?:look around|explore|tour|overview|what is in (?:here|this)|this project)\b/i,
    () =>
      call('I look around: first the files, then the ones that say most.', 'list_files', {
        depth: 2,
      }),
  ],
  [
    /^(?:go on|continue|more)\b/i,
    ({ answers }, request) => say(tellStory(request, findLastNumber(answers.at(-1) ?? ''))),
  ],
  [
    /\brecall\b/i,
    (_, request) =>
      call('I search what was removed.', 'recall', {
        query: request.replace(/^.*?\brecall\b/i, ''),
      }),
  ],
  [
    /\b(?:story|long answer|fill|tell me (?:more|everything)|essay|lorem)\b/i,
    (_, request) => say(tellStory(request)),
  ],
  [
    /\b(?:search|grep|find|where is|where are)\b/i,
    (_, request) =>
      call('I search for it.', 'search', { text: findSubject(request), ignore_case: true }),
  ],
  [/\b(?:run|execute)\b|^\$ /i, runRequested],
  [/\b(?:write|create|save)\b.*\b(?:file|note)|\bwrite \S+\.\w+/i, writeRequested],
  [
    /\b(?:read|open|show|explain|summari[sz]e|look at|cat)\b/i,
    (prompt, request) => {
      const path = findPath(request)
      return path === undefined
        ? respond(prompt, request)
        : call(`I read ${path}.`, 'read_file', { path })
    },
  ],
  [
    /\b(?:list|files|ls|folder|directory)\b/i,
    () => call('I list the files.', 'list_files', { depth: 2 }),
  ],
]

const WELCOME = `This is the **demo**: a script in the place of a model. It costs nothing and sends nothing anywhere, but the chat around it is the real one: real tools, real compression, a real history file.

Three things to try:

1. **Automatic compression.** My window is small. Say \`explore this project\`, then \`read README.md\`, then \`tell me a story of 800 words\`, and watch the gauge. Before the window is full, the older part is compressed.
2. **\`/compress\`**, or \`/compress the file names\`: the same when you want it. Then ask \`what do you remember?\`, and \`/undo\` if you do not like it.
3. **\`/model\`**: switch to \`demo/tiny\` and see before you say yes what would have to go; then back to \`demo/large\`.

I can also \`search for createServer\`, and note what you tell me: \`never touch config.json\`. Ask for it later.`

/** After a result: on with the tour, or a word on what came back. */
function continueAfter(prompt: DemoPrompt, request: string): DemoReply {
  const last = prompt.steps.at(-1)
  if (last?.isError)
    return say(
      `That did not work. ${last.tool} says:\n\n> ${firstLines(last.output, 3).join('\n> ')}`,
    )
  const isTour =
    prompt.steps[0]?.tool === 'list_files' &&
    /\b(?:look around|explore|tour|overview)\b/i.test(request)
  const mostSteps = Math.min(MOST_STEPS, Math.floor(prompt.windowTokens / WINDOW_TOKENS_PER_STEP))
  if (isTour && prompt.steps.length < mostSteps) {
    const next = findNextStop(prompt.steps)
    if (next !== undefined) return call('', 'read_file', { path: next, lines: LINES_PER_STEP })
  }
  return say(prompt.steps.map(describeStep).join('\n\n'))
}

const TELLING_FILES =
  /(?:^|\/)(?:readme(?:\.md)?|package\.json|agents\.md|changelog\.md|cargo\.toml|pyproject\.toml|go\.mod)$/i

function findNextStop(steps: readonly DemoStep[]): string | undefined {
  const seen = new Set(steps.map(({ input }) => input.path))
  return (steps[0]?.output ?? '')
    .split('\n')
    .find((path) => TELLING_FILES.test(path) && !seen.has(path))
}

function describeStep({ tool, input, output }: DemoStep): string {
  const lines = output.split('\n')
  switch (tool) {
    case 'list_files': {
      const folders = lines.filter((line) => line.endsWith('/')).length
      const count = `${renderPlural(lines.length - folders, 'file')} and ${renderPlural(folders, 'folder')}`
      return [
        `I see ${count}. The first ones:`,
        ...lines.slice(0, 12).map((line) => `- \`${line}\``),
      ].join('\n')
    }
    case 'read_file': {
      const path = typeof input.path === 'string' ? input.path : '.'
      const beginning = firstLines(output.replaceAll(/^\d+\t/gm, ''), 3).join('\n')
      return `\`${path}\` has ${lines.length} lines that I was shown. It begins:\n\n\`\`\`\n${beginning}\n\`\`\``
    }
    case 'search': {
      const found = lines.slice(0, 8).map((line) => `- \`${line.slice(0, 160)}\``)
      return [`For \`${String(input.text)}\` I found:`, ...found].join('\n')
    }
    default:
      return `\`${tool}\` gave:\n\n\`\`\`\n${firstLines(output, 12).join('\n')}\n\`\`\``
  }
}

function respond(prompt: DemoPrompt, request: string): DemoReply {
  if (
    /\b(?:never|always|do not|don't|must|remember that|keep in mind|note that|my name is|we use)\b/i.test(
      request,
    )
  ) {
    return say(
      `Noted: "${request.slice(0, 300)}". Ask \`what do you remember?\` after a compression and see whether it is still there.`,
    )
  }
  const found = quote(prompt, request)
  const known =
    found === ''
      ? 'Nothing in front of me has to do with that.'
      : `What I have in front of me about that:${found}`
  const end = 'I am a script, so this is as far as I get; say `help` for what I can do.'
  const reasoning =
    prompt.model === 'demo/large' ? 'I look for the words of the request in what I was sent.' : ''
  return { reasoning, text: `${known}\n\n${end}\n\n${renderSize(prompt)}`, calls: [] }
}

function renderSize({ model, tokens, windowTokens, messages, summary }: DemoPrompt): string {
  const share = Math.round((tokens / windowTokens) * 100)
  const earlier = summary === '' ? '' : ', one of them a summary of what was before'
  return `*(${model} was sent ${tokens} tokens, ${share} % of its window, in ${messages} messages${earlier}.)*`
}

function runRequested({ tools }: DemoPrompt, request: string): DemoReply {
  const command =
    /`([^`]+)`/.exec(request)?.[1] ?? request.replace(/^\$ |^.*?\b(?:run|execute)\b/i, '').trim()
  if (!tools.has('run_command'))
    return say('I have no shell here. Start the chat with `--allow-shell` to let me ask for it.')
  return call(`I run \`${command}\`.`, 'run_command', { command })
}

function writeRequested({ tools }: DemoPrompt, request: string): DemoReply {
  if (!tools.has('write_file'))
    return say('I may not write here. Start the chat with `--allow-write` to let me ask for it.')
  const path = findPath(request) ?? 'note.txt'
  const quoted = /["“]([^"”]+)["”]/.exec(request)?.[1]
  return call(`I write ${path}.`, 'write_file', { path, content: `${quoted ?? request}\n` })
}

function say(text: string): DemoReply {
  return { reasoning: '', text, calls: [] }
}

function call(text: string, tool: string, input: Readonly<Record<string, unknown>>): DemoReply {
  return { reasoning: '', text, calls: [{ tool, input }] }
}

/** The first word that looks like a path. */
function findPath(request: string): string | undefined {
  const words = request.split(/[\s"'`,;()]+/).map((word) => word.replace(/[.?!:]+$/, ''))
  return (
    words.find((word) => /^[\w.@~/-]*(?:\.\w{1,10}|\/[\w.-]+)$/.test(word)) ??
    words.find((word) => /^[A-Z]{5,}$/.test(word))
  )
}

/** The words in quotes, or the last word. */
function findSubject(request: string): string {
  const words = request.replace(/[?.!\s]+$/, '').split(/\s+/)
  return /["'`“]([^"'`”]+)["'`”]/.exec(request)?.[1] ?? words.at(-1) ?? request
}

function firstLines(text: string, count: number): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.slice(0, count).map((line) => line.slice(0, 200))
}

// Lines of an answer, for each token of the window: it has to fit into what is left of it.
const LINES_PER_WINDOW_TOKEN = 1 / 250
const MOST_LINES = 40
// A note that the demo adds to its answers.
const SIZE_NOTE = /^[->\s]{0,4}\*\(demo\//
const LONGEST_LINE = 160
const MOST_QUOTES = 3

/** Everything that the demo can still see: what survived. */
function recollect({ requests, summary, files, windowTokens }: DemoPrompt): string {
  const lines = Math.min(MOST_LINES, Math.floor(windowTokens * LINES_PER_WINDOW_TOKEN))
  const earlier = requests.slice(0, -1)
  const seen = files.map((file) => `\`${file}\``).join(', ')
  return [
    earlier.length === 0
      ? 'You have asked me nothing before that I still see word for word.'
      : 'Your requests that I still see word for word:',
    ...takeEnds(earlier, lines / 2).map((text) => `- ${clip(text)}`),
    ...(seen === '' ? [] : ['', `Files whose calls I still see: ${seen}`]),
    ...renderSummary(summary, lines),
  ].join('\n')
}

function renderSummary(summary: string, lines: number): string[] {
  if (summary === '') return ['', 'Nothing was summarized.']
  // Without the opening, and the line about it for the model.
  const said = summary.split('\n').slice(2)
  const shown = said.filter(
    (line) => line.trim() !== '' && !line.startsWith('<') && !SIZE_NOTE.test(line),
  )
  return [
    '',
    'Of what was before I have this record:',
    ...takeEnds(shown, lines).map((line) => `> ${clip(line)}`),
  ]
}

/** The first and the last lines say most. */
function takeEnds(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines]
  const head = Math.ceil(most / 2)
  const tail = Math.floor(most) - head
  return [
    ...lines.slice(0, head),
    `… ${lines.length - head - tail} more`,
    ...lines.slice(lines.length - tail),
  ]
}

const COMMON_WORDS =
  /^(?:about|does|have|what|when|where|which|with|this|that|from|know|remember|still|tell|there|they|your?|the|and|for|are|was|did|can|how|why|who)$/

/**
 * Lines of the prompt that share the rarer words of a question, best first; empty where none does.
 */
function quote({ requests, summary, answers }: DemoPrompt, question: string): string {
  const words = findWords(question).filter((word) => !COMMON_WORDS.test(word))
  const texts = [...requests.slice(0, -1), ...summary.split('\n').slice(2), ...answers]
  const known = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.trim() !== '' && !line.startsWith('>') && !line.startsWith('<recall>'))
  const scored = [...new Set(known)].map((line) => {
    const own = new Set(findWords(line))
    return { line, score: words.filter((word) => own.has(word)).length }
  })
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  const lines = best.slice(0, MOST_QUOTES).map(({ line }) => `> ${clip(line)}`)
  return lines.length === 0 ? '' : `\n\n${lines.join('\n>\n')}`
}

function findWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_.-]{3,60}/gu) ?? []
  return words.map((word) => word.replace(/[.-]+$/, ''))
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}
