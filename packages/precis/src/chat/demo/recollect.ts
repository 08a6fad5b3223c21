import type { DemoPrompt } from './demo-prompt.ts'

// Lines of an answer, for each token of the window: it has to fit into what is left of it.
const LINES_PER_WINDOW_TOKEN = 1 / 250
const MOST_LINES = 40
// What the demo says of itself.
const SIZE_NOTE = /^[->\s]{0,4}\*\(demo\//
const LONGEST_LINE = 160
const MOST_QUOTES = 3

/** Everything that is in front of the demo: what survived, in other words. */
export function recollect({ requests, summary, files, windowTokens }: DemoPrompt): string {
  const lines = Math.min(MOST_LINES, Math.floor(windowTokens * LINES_PER_WINDOW_TOKEN))
  const earlier = requests.slice(0, -1)
  return [
    earlier.length === 0
      ? 'You have asked me nothing before that I still see word for word.'
      : 'Your requests that I still see word for word:',
    ...takeEnds(earlier, lines / 2).map((text) => `- ${clip(text)}`),
    ...(files.length === 0
      ? []
      : ['', `Files whose calls I still see: ${files.map((file) => `\`${file}\``).join(', ')}`]),
    ...renderSummary(summary, lines),
  ].join('\n')
}

function renderSummary(summary: string, lines: number): string[] {
  if (summary === '') return ['', 'Nothing was summarized.']
  // Without the opening and what is said to the model about it.
  const said = summary.split('\n').slice(2)
  const shown = said.filter((line) => line.trim() !== '' && !line.startsWith('<') && !SIZE_NOTE.test(line))
  return ['', 'Of what was before I have this record:', ...takeEnds(shown, lines).map((line) => `> ${clip(line)}`)]
}

/** What was first and what was last says most. */
function takeEnds(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines]
  const head = Math.ceil(most / 2)
  const tail = Math.floor(most) - head
  return [...lines.slice(0, head), `… ${lines.length - head - tail} more`, ...lines.slice(lines.length - tail)]
}

const COMMON_WORDS = new Set(
  'about does have what when where which with this that from know remember still tell there they your you the and for are was did can how why who'.split(
    ' ',
  ),
)

/** Lines of the prompt that share the rarer words of a question, best first. */
export function quote({ requests, summary, answers }: DemoPrompt, question: string): string[] {
  const words = findWords(question).filter((word) => !COMMON_WORDS.has(word))
  const texts = [...requests.slice(0, -1), ...summary.split('\n').slice(2), ...answers]
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.trim() !== '' && !line.startsWith('>') && !line.startsWith('<recall>'))
  const scored = [...new Set(lines)].map((line) => {
    const own = new Set(findWords(line))
    return { line, score: words.filter((word) => own.has(word)).length }
  })
  const best = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return best.slice(0, MOST_QUOTES).map(({ line }) => clip(line))
}

function findWords(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}_.-]{3,60}/gu)
      ?.map((word) => word.replace(/[.-]+$/, '')) ?? []
  )
}

function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}
