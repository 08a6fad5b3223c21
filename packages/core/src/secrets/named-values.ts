/**
 * Values that are secret because of the name before them: `DB_PASSWORD=…`, `"api_key": "…"`,
 * `--token …`, `Authorization: …`.
 */

import type { Steps } from '../conversation/steps.ts'
import { PIECE_END } from './decode-signs.ts'
import {
  isEnvironment,
  isInQuery,
  isSecretBare,
  isSecretLiteral,
  type Named,
  type Separator,
  type Worth,
} from './is-secret.ts'
import {
  type AddSecret,
  findEnd,
  readAuthorization,
  readCookie,
  readScheme,
  type SecretSpan,
} from './placeholder.ts'
import { followLines } from './shapes.ts'

const KEYWORD =
  /pass|pwd|psk|s(?:ecret|ess|ig|id)|token|key|auth|c(?:red|ookie|ode(?==))|mnemonic|seed|bearer|basic/gi
const LONGEST_NAME = 60

const PASSWORD =
  /(?:passw(?:or)?d|passphrase|passcode|pwd|psk|mnemonic|seedphrase|storepass|keypass|requirepass|bindpw|rootpw)\d{0,2}$/
const SHORT_PASSWORD = /(?:^|[_.-])(?:pass|PASS|Pass)\d?$|[a-z]Pass$/
const SECRET =
  /(?:secret|secretkeybase|credentials?|sharedaccesssignature|clientkeydata|(?:secret|secretaccess|api|app|application|access|private|encryption|signing|master|account|auth|service|servicerole|role|license|storage|shared|sharedaccess|consumer|client|session|deploy|webhook|subscription|admin|write|jwt|hmac|aes|crypt|crypto|rsa|ssh|gpg|integration|instrumentation|project|server|user|token|cookie|cipher|data)key|(?:auth|access|refresh|api|app|bot|session|security|id|user|deploy|personalaccess|bearer|oauth|admin|service|webhook|registry|npm|github|gitlab|slack|csrf|xsrf|sas|vault|identity|device|push|client|machine)token)\d{0,2}$/
const TOKEN = /(?:token|auth)$/
// Only in addresses and cookies. In other places they name things.
const PARAMETER =
  /^(?:sig|x-amz-signature|x-goog-signature|phpsessid|[\w.-]{0,30}session_?id|connect\.sid|_gitlab_session)$/i
const KEY = /^[A-Z0-9_]{0,60}_KEY$/
const NO_SECRET_KEY =
  /(?:PUBLIC|PRIMARY|FOREIGN|SORT|CACHE|PARTITION|UNIQUE|HASH|GROUP|I18N|OBJECT|STATE|ROW|HOT|MAP|IDEMPOTENCY)_KEY$/

/** Ends of all names that are judged: `token`, but not `tokens`. `plain` has no dashes and dots. */
const END =
  /(?:passw(?:or)?d|phrase|passcode|p(?:ass|w|wd|sk)|mnemonic|secret|keybase|credentials?|sig|signature|key|keydata|token|auth|s(?:ess(?:ion)?)?id|session|authorization|cookie|code)\d{0,2}$/

const toPlain = (name: string): string => name.toLowerCase().replace(/[-_.]/g, '')

function judgeName(name: string): Worth | undefined {
  const plain = toPlain(name)
  if (PASSWORD.test(plain) || SHORT_PASSWORD.test(name)) return 'password'
  if (SECRET.test(plain)) return 'secret'
  if (TOKEN.test(plain) || PARAMETER.test(name) || (KEY.test(name) && !NO_SECRET_KEY.test(name)))
    return 'token'
  return undefined
}

const QUERY = /^(?:key|signature|(?:oob)?code)$/
const COUPON = /^(?:.{0,15}|[A-Z\d]{2,8}(?:-[A-Z\d]{2,8}){1,8})$/
// What is before the name in a row of a table: `| **API key** | …`.
const CELL = /\|[ \t]{0,8}[`*]{0,3}[\w ]{0,20}$/

// Some milliseconds.
const WORDS_A_STEP = 4_000

export function* findNamedValues(text: string, add: AddSecret): Steps<void> {
  let next = WORDS_A_STEP
  KEYWORD.lastIndex = 0
  for (let word = KEYWORD.exec(text); word; word = KEYWORD.exec(text)) {
    const { 0: keyword, index } = word
    if (--next === 0) {
      const at = KEYWORD.lastIndex
      yield
      // Others may have looked through their own texts meanwhile.
      KEYWORD.lastIndex = at
      next = WORDS_A_STEP
    }
    const end = index + keyword.length
    const isScheme = /^b/i.test(keyword)
    const found = isScheme ? readScheme(text, index, keyword.length) : readNamed(text, index, end)
    if (!found) continue
    const last = followLines(text, found.end)
    if (found.end > found.start) add(found.start, last)
    KEYWORD.lastIndex = Math.max(end, last)
  }
}

const NAME = /[\w.-]{1,60}/y

function readNamed(text: string, keyword: number, keywordEnd: number): SecretSpan | undefined {
  const nameEnd = findEnd(NAME, text, keywordEnd) ?? keywordEnd
  // Rejects most names before the slower tests.
  if (!AFTER_NAME.has(text.charAt(nameEnd))) return undefined
  if (!END.test(toPlain(text.slice(keyword, nameEnd)))) return undefined
  const separator = readSeparator(text, nameEnd)
  if (!separator) return undefined
  let start = keyword
  while (keyword - start < LONGEST_NAME && /[\w.-]/.test(text.charAt(start - 1))) start--
  // The letter of an escaped line break does not belong to the name.
  if (start < keyword && text.charAt(start - 1) === '\\') start++
  const name = joinWords(text, start, text.slice(start, nameEnd).replace(/^[-.]{1,8}/, ''))
  const plain = toPlain(name)
  const valueStart = findEnd(OPENING, text, separator.end) ?? separator.end
  if (/^(?:proxy)?authorization$/.test(plain)) return readAuthorization(text, valueStart)
  if (/^(?:set)?cookie$/.test(plain)) return readCookie(text, valueStart, plain === 'setcookie')
  // `https://example.com/v1?key=…`: elsewhere these are anything.
  const isParameter = QUERY.test(plain) && separator.isTight && isInQuery(text, start)
  const worth = judgeName(name) ?? (isParameter ? 'token' : undefined)
  if (!worth) return undefined
  if (PARAMETER.test(name) && !(separator.isTight && separator.kind === 'assignment'))
    return undefined
  if (separator.isCell && !CELL.test(text.slice(Math.max(0, start - 40), start))) return undefined
  const isOption = text.charAt(start) === '-' && !/[\w]/.test(text.charAt(start - 1))
  const found = readValue(text, { text, name, worth, separator, start, isOption })
  // Coupons and errors have shorter codes than a login.
  const isCoupon = found && COUPON.test(text.slice(found.start, found.end))
  return isCoupon && plain.endsWith('code') && isParameter ? undefined : found
}

/** `api key` and `auth token` in a sentence are one name. */
function joinWords(text: string, start: number, name: string): string {
  if (!/^(?:key|token)$/i.test(name)) return name
  const before =
    /(?:\b|\\[nrt])(?:api|access|secret|private|auth|account|license|signing|encryption|bot|deploy)[ ]$/i
  return (before.exec(text.slice(Math.max(0, start - 12), start))?.[0] ?? '').trim() + name
}

// As JSON, JSON in JSON, HTML, Markdown and programs write them.
const QUOTE = '\\\\{0,16}["\'`]|&quot;|&#3[49];'
const SEPARATOR = new RegExp(
  `(?<close>${QUOTE})?\\]?(?:\\*{1,2}(?=[ \\t:]))?[ \\t]{0,20}(?<sign>=>|:=|={1,3}|!==?|\\|\\||\\|(?=[ \\t])|\\?\\?|\\??:(?![/:])|,|\\(|>|(?:is|was|to|=) (?=\\S))?(?:\\*{1,2}(?=[ \\t]))?[ \\t]{0,20}`,
  'y',
)
const AFTER_NAME = new Set('=:"\'`\\],(>&|* \t\r\n!?')
// In programs: `: string = `, `: &str = `.
const TYPE = /[&\w<>.[\]| ]{1,30}=[ \t]{0,3}(?=\\{0,16}["'`])/y
// `String::from("…")` and other calls that only contain the text written in them.
const HOLDER =
  /(?:(?:new )?(?:std::)?(?:[sS]tring|Some|Secret(?:String|Str|Box)?|SecureString|Buffer|\[\]byte)(?:(?:::|\.)(?:new|from))?\(){1,2}(?=\\{0,16}["'`])/y
// `"name": "DB_PASSWORD", "value": "…"`, also over lines, with their numbers or without, and
// `<add key="Password" value="…"/>`.
const PAIR = new RegExp(
  `(?:${QUOTE})?[\\s,+]{0,40}(?:\\\\{1,16}(?:r\\\\{1,16})?[nrt][ \\t]{0,40}){0,2}(?:\\d{1,6}[→|:\\t][ \\t]{0,40})?(?:${QUOTE})?[Vv]alue(?:${QUOTE})?[ \\t]{0,8}[:=][ \\t]{0,8}`,
  'y',
)
// `variable "db_password" { default = "…" }` in Terraform.
const VARIABLE = new RegExp(
  `(?:${QUOTE})[ \\t]{1,4}\\{[^{}]{1,300}?default[ \\t]{0,20}=[ \\t]{0,20}`,
  'y',
)
// A block of YAML begins in the next line.
const BLOCK =
  /[|>][+-]?[ \t]{0,3}(?:\r?\n|\\{1,16}n)(?:[ \t+]{0,20}\d{1,6}[→|:\t][ \t]{1,40}|[ \t+]{1,20})/y

function readSeparator(text: string, nameEnd: number): Separator | undefined {
  for (const pair of [PAIR, VARIABLE]) {
    const end = findEnd(pair, text, nameEnd)
    if (end !== undefined) return { end, kind: 'pair', isTight: false, isCell: false }
  }
  SEPARATOR.lastIndex = nameEnd
  const match = SEPARATOR.exec(text)
  if (!match) return undefined
  const { close, sign } = match.groups ?? {}
  let end = SEPARATOR.lastIndex
  const hasQuote = close !== undefined
  const isTight = end === nameEnd + (sign?.length ?? 0)
  const isCell = sign === '|'
  const found = (kind: Separator['kind']) => ({ end, kind, isTight, isCell })
  if (sign === undefined) return hasQuote || end === nameEnd ? undefined : found('space')
  if (sign === ',') return hasQuote ? found('argument') : undefined
  if (sign === '(' || sign === '||' || sign === '??') return found('argument')
  if (sign === '>') return found('element')
  if (sign.endsWith(' ') || isCell) return found('word')
  const skipped = sign.endsWith(':') ? [TYPE, BLOCK, HOLDER] : [HOLDER]
  for (const expression of skipped) end = findEnd(expression, text, end) ?? end
  return found(/^(?:!|={2})/.test(sign) ? 'comparison' : 'assignment')
}

const OPENING = new RegExp(`[bfrBFR@]{0,2}(?<quote>${QUOTE})`, 'y')
const LONGEST_VALUE = 4_096

function readValue(text: string, named: Named): SecretSpan | undefined {
  const { separator } = named
  const quoted = readQuoted(text, separator.end)
  if (quoted) {
    const { start, end, first } = quoted
    const value = text.slice(start, end)
    // A quote that was opened in a string of JSON does not end in the next one. Where nothing is
    // escaped, as in a shell, a backslash before a quote is the end of the value.
    const [own = ''] = value.split(STRING_END, 1)
    const shortest = text.slice(start, first)
    let length = shortest.length
    while (shortest.charAt(length - 1) === '\\') length--
    const candidates = [value, own, shortest, shortest.slice(0, length)]
    const found = candidates.find((one) => isSecretLiteral(one, named))
    return found === undefined ? undefined : { start, end: start + found.length }
  }
  if (separator.kind === 'comparison' || separator.kind === 'argument') return undefined
  const bare = readBare(text, named)
  return bare && isSecretBare(text.slice(bare.start, bare.end), named, bare) ? bare : undefined
}

const STRING_END = /\\{0,16}"\s{0,8}[,:}\]]/

/** `first`: the end, if no quote is escaped. */
function readQuoted(
  text: string,
  at: number,
): (SecretSpan & { readonly first: number }) | undefined {
  OPENING.lastIndex = at
  const quote = OPENING.exec(text)?.groups?.quote
  if (quote === undefined) return undefined
  const start = OPENING.lastIndex
  const mark = quote.endsWith(';') ? quote : quote.slice(-1)
  const escapes = mark === quote ? 0 : quote.length - 1
  const [whole = ''] = text.slice(start, start + LONGEST_VALUE).split(PIECE_END, 1)
  const limit = start + whole.length
  let first: number | undefined
  for (
    let end = text.indexOf(mark, start);
    end >= 0 && end < limit;
    end = text.indexOf(mark, end + 1)
  ) {
    let slashes = 0
    while (end - slashes > start && text.charAt(end - slashes - 1) === '\\') slashes++
    const last = end - (mark.length > 1 ? 0 : Math.min(slashes, escapes))
    first ??= last
    if (mark.length > 1) return { start, end, first }
    // An escaped quote inside has more of them than the one that opened, and so has a quote that
    // closes behind an escaped backslash.
    const isEscaped = slashes > escapes && (slashes - escapes) % (2 * escapes + 2) !== 0
    if (!isEscaped) return { start, end: last, first }
  }
  // What was cut off has no end.
  const line = whole.search(/[\s"'`]/)
  const end = line < 0 ? limit : start + line
  return { start, end, first: first ?? end }
}

// Passwords contain nearly every character. If other text may follow, the character that ends an
// argument ends them.
const TO_SPACE = /(?:[^\s"'`\\<>]|\\(?![nrtu"'`\\])){1,1000}/y
const TO_COMMA = /[^\s"'`\\<>,;)}\]|]{1,300}/y
const TO_AMPERSAND = /[^\s"'`\\<>,;)}\]|&#]{1,1000}/y

function readBare(text: string, named: Named): SecretSpan | undefined {
  const { separator, start } = named
  const isToSpace =
    isEnvironment(named) ||
    named.isOption ||
    separator.kind === 'space' ||
    separator.kind === 'word'
  // Behind a semicolon it may be a statement, whose value has any sign.
  const isToAmpersand =
    /[?&]/.test(text.charAt(start - 1)) ||
    (!isToSpace && separator.isTight && separator.kind === 'assignment')
  const toOther = isToSpace ? TO_SPACE : TO_COMMA
  const end = findEnd(isToAmpersand ? TO_AMPERSAND : toOther, text, separator.end)
  return end === undefined ? undefined : { start: separator.end, end }
}
