/** Every format by its name, and the one that a document has. */
import { parseJson } from '../conversation/json-text.ts'
import { claudeCode } from './claude-code/claude-code.ts'
import { cline } from './cline/cline.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { copilotCli } from './copilot-cli/copilot-cli.ts'
import { cursor } from './cursor/cursor.ts'
import { geminiCli } from './gemini-cli/gemini-cli.ts'
import { opencode } from './opencode/opencode.ts'
import { pi } from './pi/pi.ts'
import { qwenCode } from './qwen-code/qwen-code.ts'
import { requestFormats } from './request-formats.ts'
import { readWhole } from './shared/document.ts'
import { type Format, FormatError, type FormatInput } from './shared/format.ts'
import { isJsonObject, readMember } from './shared/json.ts'
import { type Preview, previewJson, readBeginning } from './shared/preview.ts'

const known = {
  ...requestFormats,
  // It comes before formats with similar lines.
  'qwen-code': qwenCode,
  'claude-code': claudeCode,
  codex,
  opencode,
  'gemini-cli': geminiCli,
  pi,
  copilot,
  'copilot-cli': copilotCli,
  cline,
  cursor,
} as const satisfies Readonly<Record<string, Format>>

/** The names under which `formats` lists them and `precis` prints them. */
export type FormatName = keyof typeof known

/** Every format by its name. */
export const formats: Readonly<Record<FormatName, Format>> = known

const formatNames = Object.keys(known) as FormatName[]

/**
 * The format that is surest of the document. Detection reads its beginning, and all of it if that
 * is not enough. Throws `FormatError`, with a description, if no format matches.
 */
export function detectFormat(input: FormatInput): FormatName {
  const beginning = readBeginning(input)
  if (beginning !== undefined) refuseUnreadable(beginning)
  const first = findSurest(beginning ?? input)
  const whole =
    first && first.confidence < CERTAIN && beginning !== undefined
      ? parseJson(readWhole(input))
      : undefined
  const best =
    (isJsonObject(whole) || Array.isArray(whole) ? findSurest(whole) : undefined) ?? first
  if (best) return best.name
  if (isEmptyList(input, beginning)) return 'openai-chat'
  throw new FormatError(
    'unknown-format',
    `Detecting the format: ${describe(input, beginning)}. Supported are ${formatNames.join(', ')}.`,
  )
}

// Below this, a document has the keys of a format but no distinctive feature.
const LEAST_CONFIDENCE = 0.25
// Below this, nothing in it is specific to the format. Many formats have `{ role, content }` with
// plain text.
const CERTAIN = 0.6

function findSurest(input: FormatInput): { name: FormatName; confidence: number } | undefined {
  const sure = formatNames.map((name) => ({ name, confidence: formats[name].detect(input) }))
  // If two are equally sure, the first wins.
  const best = sure.reduce((best, next) => (next.confidence > best.confidence ? next : best))
  return best.confidence > LEAST_CONFIDENCE ? best : undefined
}

/** An empty list is the same in every API. It is read as the most common API. */
function isEmptyList(input: FormatInput, beginning: string | undefined): boolean {
  return Array.isArray(input) ? input.length === 0 : /^\s*\[\s*\]\s*$/.test(beginning ?? '')
}

function refuseUnreadable(beginning: string): void {
  if (beginning.trim() === '')
    throw new FormatError('empty', 'Detecting the format: the document is empty.')
  const first = beginning.trimStart()[0]
  if (first === '{' || first === '[') return
  if (beginning.includes('\0') || beginning.includes('\ufffd')) {
    throw new FormatError(
      'binary',
      'Detecting the format: the document is no UTF-8 text. Give JSON or JSON Lines.',
    )
  }
}

/** Formats that are common but not supported. */
const LOOKALIKES: readonly {
  readonly name: string
  readonly fits: (preview: Preview) => boolean
}[] = [
  { name: 'a SWE-agent trajectory', fits: ({ keys }) => keys.has('trajectory') },
  {
    name: 'an OpenHands trajectory',
    fits: ({ elements }) =>
      elements.some((event) => 'source' in event && ('action' in event || 'observation' in event)),
  },
  {
    name: 'UI messages of the AI SDK',
    fits: ({ elements }) =>
      elements.some((message) => 'role' in message && Array.isArray(message.parts)),
  },
]

function describe(input: FormatInput, beginning: string | undefined): string {
  const preview = previewJson(input, ['messages', 'contents', 'input', 'trajectory'])
  if (preview) {
    const lookalike = LOOKALIKES.find(({ fits }) => fits(preview))
    if (lookalike) return `this looks like ${lookalike.name}, which is not supported`
    const keys = [...preview.keys].slice(0, 8).map((key) => key.slice(0, 40))
    if (keys.length > 0) return `found a JSON object with "${keys.join('", "')}"`
    return 'found JSON that holds no messages'
  }
  const line = beginning?.split('\n', 1)[0] ?? ''
  const entry = parseJson(line)
  if (!isJsonObject(entry))
    return line.trimStart().startsWith('{') ? 'found broken JSON' : 'found no JSON'
  const type = readMember(entry, 'type')
  const typed = typeof type === 'string' ? `of type "${type.slice(0, 40)}"` : 'without a type'
  return `found JSON Lines whose first entry is ${typed}`
}
