import { renderPlural } from '../../terminal/render.ts'
import type { DemoPrompt, DemoStep } from './demo-prompt.ts'
import { quote, recollect } from './recollect.ts'
import { findLastNumber, tellStory } from './tell-story.ts'

/** What the demo says: an answer, or calls that it wants to be made. */
export interface DemoReply {
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }[]
}

// Of which the beginning says what is wanted.
const LONGEST_REQUEST = 2000
// Of a look around: each step has to fit beside the others.
const WINDOW_TOKENS_PER_STEP = 1500
const MOST_STEPS = 6
const LINES_PER_STEP = 40

/** Follows from the prompt alone. */
export function composeReply(prompt: DemoPrompt): DemoReply {
  const request = (prompt.requests.at(-1) ?? '').trim().slice(0, LONGEST_REQUEST)
  const step = prompt.steps.at(-1)
  const reply = step ? continueAfter(prompt, request) : begin(prompt, request)
  if (reply.calls.length > 0 || prompt.steps.length === 0) return reply
  return { ...reply, text: `${reply.text}\n\n${renderSize(prompt)}` }
}

function begin(prompt: DemoPrompt, request: string): DemoReply {
  // To do it again would lead to the same compression again.
  if (prompt.isBegun)
    return say(`What I found was summarized before I could tell of it. ${recollect(prompt)}\n\n${renderSize(prompt)}`)
  for (const { matches, reply } of INTENTS) {
    if (matches.test(request)) return reply(prompt, request)
  }
  return respond(prompt, request)
}

interface Intent {
  readonly matches: RegExp
  readonly reply: (prompt: DemoPrompt, request: string) => DemoReply
}

/** The first one that matches the request. */
const INTENTS: readonly Intent[] = [
  { matches: /^(?:help|hi|hello|hey|what can you do)\b|^\?|^$/i, reply: () => say(WELCOME) },
  {
    matches: /\b(?:do|can) you (?:still )?(?:remember|recall|know)|what (?:have i|did i|have we|did we)|\bremember\?/i,
    reply: (prompt, request) => say(`${recollect(prompt)}${quoteFor(prompt, request)}\n\n${renderSize(prompt)}`),
  },
  {
    matches: /\b(?:look around|explore|tour|overview|what is in (?:here|this)|this project)\b/i,
    reply: () => call('I look around: first the files, then the ones that say most.', 'list_files', { depth: 2 }),
  },
  {
    matches: /^(?:go on|continue|more)\b/i,
    reply: ({ answers }, request) => say(tellStory(request, findLastNumber(answers.at(-1) ?? ''))),
  },
  {
    matches: /\brecall\b/i,
    reply: (_, request) =>
      call('I search what was removed.', 'recall', { query: request.replace(/^.*?\brecall\b/i, '') }),
  },
  {
    matches: /\b(?:story|long answer|fill|tell me (?:more|everything)|essay|lorem)\b/i,
    reply: (_, request) => say(tellStory(request)),
  },
  {
    matches: /\b(?:search|grep|find|where is|where are)\b/i,
    reply: (_, request) => call('I search for it.', 'search', { text: findSubject(request), ignore_case: true }),
  },
  { matches: /\b(?:run|execute)\b|^\$ /i, reply: runRequested },
  { matches: /\b(?:write|create|save)\b.*\b(?:file|note)|\bwrite \S+\.\w+/i, reply: writeRequested },
  {
    matches: /\b(?:read|open|show|explain|summari[sz]e|look at|cat)\b/i,
    reply: (prompt, request) => {
      const path = findPath(request)
      return path === undefined ? respond(prompt, request) : call(`I read ${path}.`, 'read_file', { path })
    },
  },
  {
    matches: /\b(?:list|files|ls|folder|directory)\b/i,
    reply: () => call('I list the files.', 'list_files', { depth: 2 }),
  },
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
  if (!last) return say('')
  if (last.isError) return say(`That did not work. ${last.tool} says:\n\n> ${firstLines(last.output, 3).join('\n> ')}`)
  const isTour = prompt.steps[0]?.tool === 'list_files' && /\b(?:look around|explore|tour|overview)\b/i.test(request)
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
  return (steps[0]?.output ?? '').split('\n').find((path) => TELLING_FILES.test(path) && !seen.has(path))
}

function describeStep({ tool, input, output }: DemoStep): string {
  const lines = output.split('\n')
  const path = typeof input.path === 'string' ? input.path : '.'
  switch (tool) {
    case 'list_files': {
      const folders = lines.filter((line) => line.endsWith('/')).length
      const shown = lines.slice(0, 12).map((line) => `- \`${line}\``)
      return [
        `I see ${renderPlural(lines.length - folders, 'file')} and ${renderPlural(folders, 'folder')}. The first ones:`,
        ...shown,
      ].join('\n')
    }
    case 'read_file': {
      const beginning = firstLines(lines.map((line) => line.replace(/^\d+\t/, '')).join('\n'), 3)
      return `\`${path}\` has ${lines.length} lines that I was shown. It begins:\n\n\`\`\`\n${beginning.join('\n')}\n\`\`\``
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
  if (/\b(?:never|always|do not|don't|must|remember that|keep in mind|note that|my name is|we use)\b/i.test(request)) {
    return say(
      `Noted: "${request.slice(0, 300)}". Ask \`what do you remember?\` after a compression and see whether it is still there.`,
    )
  }
  const found = quoteFor(prompt, request)
  const known =
    found === '' ? 'Nothing in front of me has to do with that.' : `What I have in front of me about that:${found}`
  return {
    reasoning: prompt.model === 'demo/large' ? 'I look for the words of the request in what I was sent.' : '',
    text: `${known}\n\nI am a script, so this is as far as I get; say \`help\` for what I can do.\n\n${renderSize(prompt)}`,
    calls: [],
  }
}

function quoteFor(prompt: DemoPrompt, request: string): string {
  const lines = quote(prompt, request)
  return lines.length === 0 ? '' : `\n\n${lines.map((line) => `> ${line}`).join('\n>\n')}`
}

function renderSize({ model, tokens, windowTokens, messages, summary }: DemoPrompt): string {
  const share = Math.round((tokens / windowTokens) * 100)
  const earlier = summary === '' ? '' : ', one of them a summary of what was before'
  return `*(${model} was sent ${tokens} tokens, ${share} % of its window, in ${messages} messages${earlier}.)*`
}

function runRequested({ tools }: DemoPrompt, request: string): DemoReply {
  const command = /`([^`]+)`/.exec(request)?.[1] ?? request.replace(/^\$ |^.*?\b(?:run|execute)\b/i, '').trim()
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

/** What stands in quotes, or the last word. */
function findSubject(request: string): string {
  const quoted = /["'`“]([^"'`”]+)["'`”]/.exec(request)?.[1]
  return (
    quoted ??
    request
      .replace(/[?.!\s]+$/, '')
      .split(/\s+/)
      .at(-1) ??
    request
  )
}

function firstLines(text: string, count: number): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, count)
    .map((line) => line.slice(0, 200))
}
