import type { ContentPart } from '../../conversation/message.ts'
import { redactSecrets } from '../../secrets/redact-secrets.ts'
import type { CallView } from '../strategy.ts'
import { clearContent, cutAfter, cutBefore, reportsFailure, textPart } from '../stub.ts'

// What is left of an output has less than 1 000 characters, so that it is never masked again.
const SHORTEST_MASKED = 1_000
const HEAD_LINES = 2
const TAIL_LINES = 3
const REPORT_LINES = 3
const FEW_LINES = HEAD_LINES + TAIL_LINES + REPORT_LINES
const LINE_CHARACTERS = 100

const EXIT_CODE = /^exit(?:ed)?\b[^\n]{0,20} -?\d/i

/**
 * Exit code, head and tail of an output, between them how many lines went and the first ones that report a failure.
 * Undefined for an output that is short as it is.
 */
export function maskOutput(output: readonly ContentPart[], call: CallView): readonly ContentPart[] | undefined {
  const cleared = output.map((part) => clearContent(part, SHORTEST_MASKED))
  const texts = cleared.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  // The lines that stand for media count too, so that they do not make a short output long the next time.
  const text = texts.join('\n')
  if (text.length < SHORTEST_MASKED) return cleared.every((part, index) => part === output[index]) ? undefined : cleared
  const isAllText = output.every(({ type }) => type === 'text')
  const printed = isAllText && call.output !== undefined ? call.output : text
  return [textPart(maskText(redactSecrets(printed), call)), ...cleared.filter(({ type }) => type !== 'text')]
}

function maskText(text: string, { kind, exitCode }: CallView): string {
  const exit = exitCode === undefined || EXIT_CODE.test(text) ? [] : [`exit code ${exitCode}`]
  const lines = text.trimEnd().split('\n')
  if (lines.length <= FEW_LINES) return [...exit, maskCharacters(text)].join('\n')
  const middle = lines.slice(HEAD_LINES, -TAIL_LINES)
  // What is read and found in files speaks of errors without reporting any.
  const reports = kind === 'read' || kind === 'search' ? [] : findReports(middle)
  const cleared = middle.length - reports.length
  const kept = [...lines.slice(0, HEAD_LINES), ...reports, ...lines.slice(-TAIL_LINES)].map(clip)
  kept.splice(HEAD_LINES, 0, `[… ${cleared} of ${lines.length} lines cleared …]`)
  return [...exit, ...kept].join('\n')
}

function findReports(lines: readonly string[]): string[] {
  const reports: string[] = []
  for (const line of lines) {
    if (reports.length === REPORT_LINES) break
    if (reportsFailure(line)) reports.push(line)
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
