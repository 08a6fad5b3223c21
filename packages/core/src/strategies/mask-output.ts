/** What clear-tools leaves of an output: head, tail, reports of failures and the exit code. */
import type { ContentPart } from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { redactInSteps } from '../secrets/redact-secrets.ts'
import { cutAfter, cutBefore } from '../text/clip-line.ts'
import { clearContent, reportsFailure, textPart } from './clip-text.ts'
import type { CallView, StrategyView } from './strategy.ts'

// The rest of an output has fewer than 1,000 characters, so that it is never masked again.
const SHORTEST_MASKED = 1_000
const HEAD_LINES = 2
const TAIL_LINES = 3
const REPORT_LINES = 3
const FEW_LINES = HEAD_LINES + TAIL_LINES + REPORT_LINES
const LINE_CHARACTERS = 100

const EXIT_CODE = /^exit(?:ed)?\b[^\n]{0,20} -?\d/i

/**
 * Exit code, head and tail of an output. Between head and tail is a note of what was cleared, with
 * the first reports of failures. Undefined for a short output.
 */
export function* maskOutput(
  output: readonly ContentPart[],
  call: CallView,
): Steps<readonly ContentPart[] | undefined> {
  const { cleared, printed } = readPrinted(output, call)
  if (printed === undefined)
    return cleared.every((part, index) => part === output[index]) ? undefined : cleared
  return [
    textPart(maskText(yield* redactInSteps(printed), call)),
    ...cleared.filter(({ type }) => type !== 'text'),
  ]
}

/** An output without media and carried parts, and its text if that is long enough to be masked. */
function readPrinted(output: readonly ContentPart[], call: CallView) {
  const cleared = output.map((part) => clearContent(part, SHORTEST_MASKED))
  const texts = cleared.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  // The placeholders of media count too, so that they do not make a short output long the next
  // time.
  const text = texts.join('\n')
  if (text.length < SHORTEST_MASKED) return { cleared }
  const isAllText = output.every(({ type }) => type === 'text')
  return { cleared, printed: isAllText && call.output !== undefined ? call.output : text }
}

// The mark of a secret is shorter than most secrets.
const LEAST_LEFT_SHARE = 0.9

/** Tokens of the result of a call after it is masked, without a search for secrets. */
export function countMasked(
  view: StrategyView,
  call: CallView,
  output: readonly ContentPart[],
  tokens: number,
): number {
  const { printed } = readPrinted(output, call)
  if (printed === undefined) return tokens * LEAST_LEFT_SHARE
  return Math.min(view.countTokens(maskText(printed, call)), tokens) * LEAST_LEFT_SHARE
}

function maskText(text: string, { kind, exitCode }: CallView): string {
  const exit = exitCode === undefined || EXIT_CODE.test(text) ? [] : [`exit code ${exitCode}`]
  const lines = text.trimEnd().split('\n')
  if (lines.length <= FEW_LINES) return [...exit, maskCharacters(text)].join('\n')
  // Files that are read or found mention errors without reporting any.
  const reports = kind === 'read' || kind === 'search' ? [] : findReports(lines)
  const cleared = lines.length - HEAD_LINES - TAIL_LINES - reports.length
  const kept = [...lines.slice(0, HEAD_LINES), ...reports, ...lines.slice(-TAIL_LINES)].map(clip)
  kept.splice(HEAD_LINES, 0, `[… ${cleared} of ${lines.length} lines cleared …]`)
  return [...exit, ...kept].join('\n')
}

/** Between head and tail. */
function findReports(lines: readonly string[]): string[] {
  const reports: string[] = []
  for (let row = HEAD_LINES; row < lines.length - TAIL_LINES; row++) {
    if (reports.length === REPORT_LINES) break
    if (reportsFailure(lines[row]!)) reports.push(lines[row]!)
  }
  return reports
}

/** A few long lines have no lines worth choosing. */
function maskCharacters(text: string): string {
  const half = (FEW_LINES * LINE_CHARACTERS) / 2
  const cleared = text.length - 2 * half
  if (cleared <= 0) return text
  return `${cutBefore(text, half)}\n[… ${cleared} of ${text.length} characters cleared …]\n${cutAfter(text, half)}`
}

function clip(line: string): string {
  return line.length <= LINE_CHARACTERS ? line : `${cutBefore(line, LINE_CHARACTERS - 1)}…`
}
