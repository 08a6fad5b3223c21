/** What the person decided when the agent asked through a tool: the answers stand in the result of the call. */
import { parseJson } from '../../conversation/json-text.ts'
import type { ToolCallPart } from '../../conversation/message.ts'
import { clip, flatten } from './clip.ts'

/** One question with the answer to it. */
export interface Answer {
  readonly question: string
  readonly text: string
}

interface Question {
  readonly id: string
  readonly text: string
  /** What the offered answers mean, by their labels. */
  readonly meanings: ReadonlyMap<string, string>
}

const ASKING_TOOLS = new Set(
  'askuserquestion ask_user_question ask_user request_user_input ask_followup_question ask_question question'.split(
    ' ',
  ),
)
const MOST_QUESTIONS = 20
const LONGEST_QUESTION = 300
const LONGEST_ANSWER = 600
const LONGEST_MEANING = 240
// `Your questions have been answered: "Which one?"="The first". You can now continue with these answers in mind.`
const CLOSING = /\.?\s*You can now continue\b/
// `<answer>The first</answer>`
const TAGS = /<\/?(?:answer|user_message|feedback)>/g

export function isAsking(call: ToolCallPart): boolean {
  return ASKING_TOOLS.has(call.name.toLowerCase())
}

/** Empty when the person answered nothing; `output` is what the host handed back. */
export function readAnswers(call: ToolCallPart, output: string): Answer[] {
  const questions = readQuestions(call.input)
  const json = output.trimStart().startsWith('{') ? parseJson(output) : undefined
  const found = isRecord(json) ? readFields(questions, json) : readQuoted(questions, output)
  return found.flatMap(({ question, text }) => {
    const said = flatten(text.replace(TAGS, ' '))
    if (!/[\p{L}\p{N}]/u.test(said)) return []
    const meaning = question?.meanings.get(said)
    const answer = clip(said, LONGEST_ANSWER) + (meaning === undefined ? '' : ` (${clip(meaning, LONGEST_MEANING)})`)
    return [{ question: clip(question?.text ?? '', LONGEST_QUESTION), text: answer }]
  })
}

interface Found {
  readonly question: Question | undefined
  readonly text: string
}

/** `"question"="answer"`, one after the other; text of another shape answers the only question, or all of them. */
function readQuoted(questions: readonly Question[], output: string): Found[] {
  const places = questions
    .map((question) => ({ question, mark: `"${question.text}"="`, start: output.indexOf(`"${question.text}"="`) }))
    .filter(({ start }) => start >= 0)
    .sort((a, b) => a.start - b.start)
  if (places.length === 0) return [{ question: questions[0], text: output }]
  return places.map(({ question, mark, start }, index) => {
    const raw = output.slice(start + mark.length, places[index + 1]?.start)
    const closing = index === places.length - 1 ? raw.search(CLOSING) : -1
    const text = (closing < 0 ? raw : raw.slice(0, closing)).replace(/[\s,.]{0,4}$/, '')
    // What the person added stands after the closing quote.
    return { question, text: text.replace(/"(?=$| user notes:| notes:)/, '') }
  })
}

/** `{"answers":{"id":{"answers":["The first"]}}}`, or the same with plain strings. */
function readFields(questions: readonly Question[], json: Record<string, unknown>): Found[] {
  const { answers } = json
  if (!isRecord(answers)) return []
  return Object.entries(answers).map(([id, value], index) => ({
    question: questions.find((question) => question.id === id || question.text === id) ?? questions[index],
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
          typeof label === 'string' && typeof description === 'string' ? [[label, flatten(description)] as const] : [],
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
