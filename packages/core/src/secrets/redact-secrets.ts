/**
 * The one place that knows what looks like a secret. Everything that precis writes or shows of a
 * conversation passes through it: digests, prompts, ledgers, reports, pages, excerpts. Untouched
 * messages and restored originals do not.
 */

import { atOnce, type Steps } from '../conversation/steps.ts'
import { decodeSigns, PIECE_END } from './decode-signs.ts'
import { findInCommands } from './find-in-commands.ts'
import { findInLines } from './find-in-lines.ts'
import { findNamedValues } from './named-values.ts'
import { type AddSecret, findEnd, isPassword, type SecretSpan } from './placeholder.ts'
import { findShapes, findShapesAt, skipAll } from './shapes.ts'
import { skipTerminalCodes, TERMINAL_CODE } from './terminal-codes.ts'

/** The mark that replaces a secret. It names the command that restores the original. */
export const REDACTED = '[redacted: precis restore]'

/**
 * Replaces text that looks like a key, a token or a password by `REDACTED`. Its time grows with the
 * length of the text.
 */
export function redactSecrets(text: string): string {
  return atOnce(redactInSteps(text))
}

/** The same, for long texts on a thread that serves others. */
export function* redactInSteps(text: string): Steps<string> {
  const found: SecretSpan[] = []
  const add: AddSecret = (start, end) => void found.push({ start, end })
  yield* findShown(text, add)
  for (const decoded of decodeSigns(text))
    yield* findShown(decoded.text, (start, end) => {
      // What begins in one piece and ends in another is cut off.
      const pieceEnd = decoded.text.indexOf(PIECE_END, start)
      add(decoded.placeOf(start), decoded.placeOf(pieceEnd < 0 ? end : Math.min(end, pieceEnd)))
    })
  if (found.length === 0) return text
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  let result = ''
  let at = 0
  for (const { start, end } of found) {
    if (start >= at) result += text.slice(at, start) + REDACTED
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}

/** In the text as it is, and as a terminal shows it: a code may be before a key, inside, or both. */
function* findShown(text: string, add: AddSecret): Steps<void> {
  yield* findSecrets(text, add)
  const shown = skipTerminalCodes(text)
  if (!shown) return
  yield* findShapes(
    text.replace(TERMINAL_CODE, ({ length }) => ' '.repeat(length)),
    add,
  )
  // The codes behind a secret stay.
  const addShown: AddSecret = (start, end) => add(shown.placeOf(start), shown.placeOf(end - 1) + 1)
  yield* findSecrets(shown.text, addShown)
  yield* findShapesAt(shown.places, shown.text, addShown)
}

function* findSecrets(text: string, add: AddSecret): Steps<void> {
  yield* findShapes(text, add)
  yield* findNamedValues(text, add)
  for (const find of [findPrivateKeys, findInAddresses, findInCommands, findInLines]) {
    yield
    find(text, add)
  }
}

const KEY_END = /-{4,5}[ ]?END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}/y
const KEY_BEGIN = /-{4,5}[ ]?BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}/g
// A key that is cut off: lines of Base64, also escaped, numbered, quoted or changed, and its
// headers.
const KEY_LINES =
  /(?:[ \t\r\n+|>→\d]|\\{1,8}[nr]){1,24}(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): [^\r\n\\]{0,120}|[A-Za-z0-9+/=]{16,2000})/y
const LONGEST_KEY = 20_000

function findPrivateKeys(text: string, add: AddSecret): void {
  if (!text.includes('PRIVATE KEY') && !text.includes('Private-Lines')) return
  let lastEnd = -1
  KEY_BEGIN.lastIndex = 0
  for (let begin = KEY_BEGIN.exec(text); begin; begin = KEY_BEGIN.exec(text)) {
    const start = begin.index
    const bodyStart = KEY_BEGIN.lastIndex
    // Looked for once, however many beginnings there are.
    if (lastEnd < bodyStart) lastEnd = findKeyEnd(text, bodyStart)
    const end = lastEnd - start <= LONGEST_KEY ? lastEnd : skipAll(KEY_LINES, text, bodyStart)
    add(start, end)
    KEY_BEGIN.lastIndex = end
  }
  for (const { 0: lines, index } of text.matchAll(/Private-Lines: \d{1,4}/g)) {
    const start = index + lines.length
    const end = skipAll(KEY_LINES, text, start)
    if (end > start) add(start, end)
  }
}

function findKeyEnd(text: string, from: number): number {
  for (let at = text.indexOf('END ', from); at >= 0; at = text.indexOf('END ', at + 4)) {
    for (const dashes of [5, 6, 4]) {
      const end = findEnd(KEY_END, text, at - dashes)
      if (end !== undefined) return end
    }
  }
  return Infinity
}

const LONGEST_USER_INFO = 400
const USER_INFO = /[^\s"'`<>\\/]{1,400}/y
// Some programs write `\/` in JSON.
const SLASH = '\\\\{0,16}/'
const SCHEME_END = new RegExp(`:(?:${SLASH}){2}`, 'g')
const HOOK = new RegExp(
  `${String.raw`(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|(?:discord|discordapp)\.com/api/webhooks/\d{5,25}/|[\w-]{1,80}\.webhook\.office\.com/webhookb2/|api\.telegram\.org/bot\d{5,16}:|chat\.googleapis\.com/v1/spaces/[\w-]{1,40}/messages\?|maker\.ifttt\.com/use/|outlook\.office\.com/webhook/)`.replaceAll('/', SLASH)}((?:[^\\s"'\`<>\\\\]|\\\\{1,16}/){8,400})`,
  'y',
)

/** `scheme://user:password@host` */
function findInAddresses(text: string, add: AddSecret): void {
  for (const { 0: sign, index } of text.matchAll(SCHEME_END)) {
    const start = index + sign.length
    HOOK.lastIndex = start
    const path = HOOK.exec(text)?.[1]
    if (path !== undefined) {
      if (/\d/.test(path) && !/[{}$]|\.\.\.|XXX/.test(path))
        add(HOOK.lastIndex - path.length, HOOK.lastIndex)
      continue
    }
    const authority = text.slice(start, findEnd(USER_INFO, text, start) ?? start)
    const host = authority.lastIndexOf('@')
    if (host <= 0 || host > LONGEST_USER_INFO) continue
    const user = authority.indexOf(':')
    if (user < 0 || user > host) {
      if (/^(?=.*\d)[\w.~-]{16,}$/.test(authority.slice(0, host))) add(start, start + host)
    } else if (isPassword(authority.slice(user + 1, host))) add(start + user + 1, start + host)
  }
  // Go's driver of MySQL has no scheme.
  for (const { index: at } of text.matchAll(/@(?:tcp|unix)\(/g)) {
    const before = text.slice(Math.max(0, at - 120), at)
    const password = /[\w.%-]{1,64}:([^\s"'`]{1,120})$/.exec(before)?.[1]
    if (password !== undefined && isPassword(password)) add(at - password.length, at)
  }
}
