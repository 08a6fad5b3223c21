/**
 * The user's words in results of tools: answers to a question of the agent, and what was said when
 * a call was refused.
 */
import { readOwnText } from '../conversation/injected-text.ts'
import { parseJson } from '../conversation/json-text.ts'
import type { ToolCallPart } from '../conversation/message.ts'

export interface Answer {
  /** The question; empty where it is not known which. */
  readonly question: string
  readonly text: string
}

interface Question {
  readonly id: string
  readonly text: string
  /** Meanings of the offered answers, by their labels. */
  readonly meanings: ReadonlyMap<string, string>
}

const ASKING_NAMES =
  'askuserquestion ask_user_question ask_user request_user_input ask_followup_question ask_question question'
const ASKING_TOOLS = new Set(ASKING_NAMES.split(' '))
const MOST_QUESTIONS = 20
// `Your questions have been answered: "Which one?"="The first". You can now continue with these
// answers in mind.`
const CLOSING = /\.?\s*You can now continue\b/
// `<answer>The first</answer>`
const TAGS = /<\/?(?:answer|user_message|feedback)>/g
// What hosts hand back when nobody answered: Claude Code, Codex, Gemini CLI.
const UNANSWERED =
  /^(?:the )?(?:user (?:declined|dismissed|cancel|did not|doesn|rejected)|request_user_input )/i

/** Whether a tool of this name asks the user something. */
export const asksUser = (name: string): boolean => ASKING_TOOLS.has(name.toLowerCase())

/**
 * Questions with their answers; empty when the user answered nothing. `output` is what the host
 * handed back.
 */
export function readAnswers(call: ToolCallPart, output: string): Answer[] {
  const questions = readQuestions(call.input)
  const json = output.trimStart().startsWith('{') ? parseJson(output) : undefined
  const found = isRecord(json)
    ? readFields(questions, json)
    : readQuoted(questions, readOwnText(output))
  return found.flatMap(({ question, text }) => {
    const said = text.replace(TAGS, ' ').trim()
    if (!/[\p{L}\p{N}]/u.test(said) || (found.length === 1 && UNANSWERED.test(said))) return []
    const meaning = question?.meanings.get(said)
    return [
      {
        question: question?.text ?? '',
        text: meaning === undefined ? said : `${said} (${meaning})`,
      },
    ]
  })
}

interface Found {
  readonly question: Question | undefined
  readonly text: string
}

/**
 * `"question"="answer"`, one after the other; text of another shape answers the only question, or
 * all of them.
 */
function readQuoted(questions: readonly Question[], output: string): Found[] {
  const places = questions
    .map((question) => ({
      question,
      mark: `"${question.text}"="`,
      start: output.indexOf(`"${question.text}"="`),
    }))
    .filter(({ start }) => start >= 0)
    .sort((a, b) => a.start - b.start)
  if (places.length === 0) return [{ question: questions[0], text: output }]
  return places.map(({ question, mark, start }, index) => {
    const raw = output.slice(start + mark.length, places[index + 1]?.start)
    const closing = index === places.length - 1 ? raw.search(CLOSING) : -1
    const text = (closing < 0 ? raw : raw.slice(0, closing)).replace(/[\s,.]{0,4}$/, '')
    // What the user added comes after the closing quote.
    return { question, text: text.replace(/"(?=$| user notes:| notes:)/, '') }
  })
}

/**
 * `{"answers":{"id":{"answers":["The first"]}}}`, or the same with plain strings, by id or by
 * position.
 */
function readFields(questions: readonly Question[], json: Record<string, unknown>): Found[] {
  const { answers } = json
  if (!isRecord(answers)) return []
  return Object.entries(answers).map(([id, value], index) => ({
    question:
      questions.find((question) => question.id === id || question.text === id) ??
      questions[/^\d{1,2}$/.test(id) ? Number(id) : index],
    text: readStrings(isRecord(value) ? (value.answers ?? value.answer) : value).join(', '),
  }))
}

function readQuestions(input: unknown): Question[] {
  const fields = typeof input === 'string' ? parseJson(input) : input
  if (!isRecord(fields)) return []
  const list = Array.isArray(fields.questions) ? fields.questions : [fields]
  return list
    .slice(0, MOST_QUESTIONS)
    .filter(isRecord)
    .flatMap((entry) => {
      const text = entry.question ?? entry.prompt
      if (typeof text !== 'string') return []
      const options = Array.isArray(entry.options) ? entry.options.filter(isRecord) : []
      const meanings = new Map(
        options.flatMap(({ label, description }) =>
          typeof label === 'string' && typeof description === 'string'
            ? [[label, description] as const]
            : [],
        ),
      )
      return [{ id: typeof entry.id === 'string' ? entry.id : '', text, meanings }]
    })
}

function readStrings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// How hosts open what the user said when a call was refused: Claude Code, OpenCode, Cline and Roo
// Code, others.
const REFUSALS = [
  'To tell you how to proceed, the user said:',
  'The user provided the following reason for the rejection:',
  'rejected permission to use this specific tool call with the following feedback:',
  'The user denied this operation and provided the following feedback:',
  'The user denied this operation and responded with the message:',
  'User rejected the tool call with the following feedback:',
]
// A refusal is the host's word from its first one: what a file or a program printed may hold any of
// these further on.
const REFUSAL =
  /^\s*(?:Error: )?(?:<tool_use_error>)?\s*(?:The user|User) (?:doesn['’]t want|rejected|denied|provided)\b/
const NEAR_START = 600
// Words of the host after those of the user.
const HOST_CLOSINGS = ['\n\nNote: The user', '</feedback>', '</user_message>', '</tool_use_error>']

/** Whether a result says that the user refused the call, so that nothing was done. */
export const isRefused = (output: string): boolean => REFUSAL.test(output.slice(0, NEAR_START))

/** What the user said when a call was refused; undefined when the result says no such thing. */
export function readRefusal(output: string): string | undefined {
  if (!isRefused(output)) return undefined
  const start = output.slice(0, NEAR_START)
  for (const opening of REFUSALS) {
    const at = start.indexOf(opening)
    if (at < 0) continue
    const rest = output.slice(at + opening.length)
    const ends = HOST_CLOSINGS.map((closing) => rest.indexOf(closing)).filter((end) => end >= 0)
    const said = readOwnText(rest.slice(0, Math.min(rest.length, ...ends)))
      .replace(TAGS, ' ')
      .trim()
    return said === '' ? undefined : said
  }
  return undefined
}
