/**
 * The user's words in results of tools: answers to questions of the agent, and reasons for refused
 * calls.
 */
import { hosts } from '../conversation/hosts.data.ts'
import { readOwnText } from '../conversation/injected-text.ts'
import { parseJson } from '../conversation/json-text.ts'
import type { ToolCallPart } from '../conversation/message.ts'

export interface Answer {
  /** The question. Empty if it is unknown. */
  readonly question: string
  readonly text: string
}

interface Question {
  readonly id: string
  readonly text: string
  readonly header: string
  /** Meanings of the offered answers, by their labels. */
  readonly meanings: ReadonlyMap<string, string>
}

const questions = hosts.flatMap((host) => host.questions ?? [])
const askingTools = new Set(questions.flatMap(({ tools }) => tools))
const answerWrappers = questions.flatMap(({ wrappers = [] }) => wrappers)
const answerMarks = [...new Set(questions.flatMap(({ mark = [] }) => mark))]
const MOST_QUESTIONS = 20

/** The text, unwrapped from elements around the user's words: `<answer>The first</answer>`. */
const unwrap = (text: string): string =>
  answerWrappers
    .reduce((rest, tag) => rest.replaceAll(`<${tag}>`, ' ').replaceAll(`</${tag}>`, ' '), text)
    .trim()

/** Whether a tool of this name asks the user something. */
export const asksUser = (name: string): boolean => askingTools.has(name.toLowerCase())

/**
 * Questions with their answers. Empty if the user answered nothing. `output` is what the host
 * returned.
 */
export function readAnswers(call: ToolCallPart, output: string): Answer[] {
  const asked = readQuestions(call.input)
  const json = output.trimStart().startsWith('{') ? parseJson(output) : undefined
  const found = isRecord(json) ? readFields(asked, json) : readQuoted(asked, readOwnText(output))
  return found.flatMap(({ question, text }) => {
    const said = unwrap(text)
    if (!/[\p{L}\p{N}]/u.test(said) || (found.length === 1 && isUnanswered(said))) return []
    const meaning = question?.meanings.get(said)
    return [
      {
        question: question?.text ?? '',
        text: meaning === undefined ? said : `${said} (${meaning})`,
      },
    ]
  })
}

const isUnanswered = (said: string): boolean =>
  questions.some(({ unanswered }) => unanswered?.test(said))

interface FoundAnswer {
  readonly question: Question | undefined
  readonly text: string
}

/**
 * Each answer after a mark with its question: `"question"="answer"`, `**header**: answer`. Text of
 * another shape answers the only question, or all questions.
 */
function readQuoted(asked: readonly Question[], output: string): FoundAnswer[] {
  const places = asked
    .flatMap((question) => {
      const found = listMarks(question).map((mark) => ({
        question,
        mark,
        start: output.indexOf(mark),
      }))
      return found.find(({ start }) => start >= 0) ?? []
    })
    .sort((a, b) => a.start - b.start)
  if (places.length === 0) return [{ question: asked[0], text: output }]
  return places.map(({ question, mark, start }, index) => {
    const raw = output.slice(start + mark.length, places[index + 1]?.start)
    const own = index === places.length - 1 ? withoutClosing(raw) : raw
    return { question, text: joinNotes(own.replace(CLOSING_SIGNS, '')) }
  })
}

const CLOSING_SIGNS = /[\s,.]{0,4}$/

/** An answer, and the user's notes after its closing quote. An answer in own words is there twice. */
function joinNotes(text: string): string {
  const end = text.search(/" (?:user )?notes: /)
  if (end < 0) return text.replace(/"$/, '')
  const said = text.slice(0, end)
  const notes = text.slice(end + 1)
  const isSame = notes.endsWith(`notes: ${said.replace(CLOSING_SIGNS, '')}`)
  return isSame ? said : `${said}${notes}`
}

const listMarks = ({ text, header }: Question): string[] =>
  answerMarks
    .filter((mark) => header !== '' || !mark.includes('{header}'))
    .map((mark) => mark.replace('{question}', () => text).replace('{header}', () => header))

function withoutClosing(text: string): string {
  const ends = questions.flatMap(({ closing }) => (closing ? text.search(closing) : -1))
  return text.slice(0, Math.min(...ends.map((end) => (end < 0 ? text.length : end))))
}

/**
 * `{"answers":{"id":{"answers":["The first"]}}}`, or the same with plain strings, by id or by
 * position.
 */
function readFields(asked: readonly Question[], json: Record<string, unknown>): FoundAnswer[] {
  const { answers } = json
  if (!isRecord(answers)) return []
  return Object.entries(answers).map(([id, value], index) => ({
    question:
      asked.find((question) => question.id === id || question.text === id) ??
      asked[/^\d{1,2}$/.test(id) ? Number(id) : index],
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
      const [id, header] = [entry.id, entry.header].map((name) =>
        typeof name === 'string' ? name : '',
      )
      return [{ id: id ?? '', header: header ?? '', text, meanings }]
    })
}

function readStrings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const refusals = hosts.flatMap((host) => host.refusals ?? [])
const sayings = refusals.flatMap((refusal) => refusal.sayings ?? [])
const closings = refusals.flatMap((refusal) => refusal.closings ?? [])
const openQuestions = refusals.flatMap(({ unanswered }) => unanswered ?? [])
const NEAR_START = 800
// Some agents put this before any failure.
const FAILURE = /^\s{0,99}(?:Error: )?\s{0,9}/

/** Whether a result shows that the user refused the call, so that nothing was done. */
export function isRefused(output: string): boolean {
  const start = output.slice(0, NEAR_START).replace(FAILURE, '')
  return refusals.some(({ opening }) => opening.test(start))
}

/** What the user said when refusing a call. Undefined if the result does not contain it. */
export function readRefusal(output: string): string | undefined {
  if (!isRefused(output)) return undefined
  const start = output.slice(0, NEAR_START)
  for (const saying of sayings) {
    const at = start.indexOf(saying)
    if (at < 0) continue
    const rest = output.slice(at + saying.length)
    const ends = closings.map((closing) => rest.indexOf(closing)).filter((end) => end >= 0)
    const words = unwrap(readOwnText(rest.slice(0, Math.min(rest.length, ...ends))))
    const said = openQuestions.reduce((text, open) => text.replace(open, ''), words).trim()
    return said === '' ? undefined : said
  }
  return undefined
}
