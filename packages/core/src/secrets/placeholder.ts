/**
 * Recognizes what a value looks like: a placeholder, a name in a program, a sentence, or letters in
 * an order that no name has.
 */

const REFERENCE =
  /^\$\{?[A-Za-z_][\w.:-]*\}?$|^\$\(|^\$[A-Z_]{3}|\$\{|\{\{|^<[^>]{1,80}>?$|^%\w+%$|^%[a-z]$|^%\(|^\{[\w.]*\}$|^@\w+@$|^(?:env|file|vault|ssm|arn|op|secret|secrets|data|sops|keyring|keychain)[:.]|process\.env|os\.environ|getenv|redacted|REDACTED|masked|\*\*\*|\.\.\.|…|^[xX*•.#_-]+$|^\/[\w./~-]*$|^~\/|^[A-Za-z]:\\|^https?:\/\/[^@\s]*$/
// Names of types, of parts of programs and of nothing in particular.
const WORDS = new Set(
  'a an the my your our their this that some any no none null nil undefined true false yes on off empty string str text number int integer bool boolean bytes byte buffer uint8array object array list map dict optional required unknown never void char varchar keyof type value values name names user username login email admin root password passwd passphrase pass pwd secret secrets token tokens key keys api apikey auth access refresh session bearer basic client server id code data field input default example sample placeholder dummy fake mock test tests testing tester stub demo foo bar baz qux here goes change changeme me it replace insert enter put set get new old current original todo tbd n/a na invalid valid wrong incorrect correct bad good expired missing hidden redacted unset from to of for with in is and or not via env var variable config file path url prompt arg args self params props options opts req res request response body header headers cookie cookies hash hashed encrypted plain random generated sensitive private public credentials credential abc xyz xxx something anything whatever one two first second other same different long short super very'.split(
    ' ',
  ),
)
// Values that have a digit and are not a password: names of methods, versions, sizes, and what a
// form or a database says of a value.
const KNOWN =
  /^(?:(?:min|max|at-?least|up-?to|len(?:gth)?|size|n?var(?:char|binary)2?|char|binary|string|text|int|uint|float)[-_:=(]{0,1}\d{1,5}\)?(?:[-_]?(?:chars?|characters?|digits?|bytes?|bits?|letters?))?|\d{1,4}[-_+]?(?:chars?|characters?|digits?|bytes?|bits?|letters?|days?|hours?|h|min(?:utes?)?|d)|base64(?:url)?|sha-?\d{1,3}|md5|utf-?(?:8|16)|oauth-?2(?:\.0)?|bcrypt|argon2(?:id)?|pbkdf2|scrypt|[hrep]s\d{3}|ed25519|x509|pkcs-?\d{1,2}|aes-?\d{3}|rsa-?\d{4}|s3|k8s|ec2|http2?|ipv[46]|v\d{1,3}|\d{1,3}|\d[\d.,_]*(?:[kKmMgG]?[bB]?|ms|s|%)?|o200k_base|cl100k_base)$/i

function splitWords(value: string): string[] {
  return value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9/]+/)
    .filter((word) => word !== '')
}

export const hasCommonWord = (value: string): boolean =>
  splitWords(value).some((word) => WORDS.has(word.toLowerCase()))

/** `base64`, `sha256`, `4k`. */
export const isKnown = (value: string): boolean => KNOWN.test(value)

export function isPlaceholder(value: string): boolean {
  return (
    REFERENCE.test(value) ||
    splitWords(value).every((word) => WORDS.has(word.toLowerCase()) || /^x{2,}$/i.test(word))
  )
}

/** Letters and digits in no order that a name would have. */
export function looksRandom(value: string, least: number): boolean {
  if (value.length < least || KNOWN.test(value)) return false
  const pieces = value.split(/[-_./:+=~@\s]+|(?<=[a-z])(?=[A-Z])/).filter((piece) => piece !== '')
  const isWordy = pieces.every((piece) => /^(?:[A-Za-z]+\d{0,3}|\d{1,8})$/.test(piece))
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return !isWordy
  if (/^\d+$/.test(value)) return value.length >= 20
  const changes = (value.match(/[a-z][A-Z]/g) ?? []).length
  return changes >= 4 && value.length / changes < 5
}

/** More than words: a digit or a sign that names have not. */
export const looksSecret = (value: string): boolean =>
  /[\d!@#$%^&*+=?~]/.test(value) && !KNOWN.test(value)

const SENTENCE =
  /\b(?:a|an|the|is|are|be|must|should|cannot|can|please|to|of|for|your|my|and|or|not|with|in|on|enter|required|invalid|incorrect|wrong|missing|expired|passwords?|tokens?|secrets?|keys?|user|authentication|login|failed|error|reset|change|forgot|confirm|do|does|has|have|was|will|by|as|if|only|used?|using|at|least|no|too|from|this|that)\b/i

export function isSentence(value: string): boolean {
  return value.length > 200 || /["'`{}<>()=;\n\\]|[,.:] /.test(value) || SENTENCE.test(value)
}

/** `user.password`, `getPassword()`, `tokens[0]`, `a::b`. */
export function isCode(value: string): boolean {
  if (/^[\w.$]*[([{]|\?\.|->|::|=>|&&|\|\|/.test(value)) return true
  return (
    value.includes('.') &&
    value.split('.').every((piece) => /^[A-Za-z_$][A-Za-z_$]*\d{0,2}$/.test(piece))
  )
}

export const isMixed = (value: string): boolean => /[A-Za-z]/.test(value) && /\d/.test(value)

export interface SecretSpan {
  readonly start: number
  readonly end: number
}

/** Called with the start and the end of each secret that is found. */
export type AddSecret = (start: number, end: number) => void

/** The end of a sticky expression's match at a place. Undefined if it does not match there. */
export function findEnd(sticky: RegExp, text: string, at: number): number | undefined {
  sticky.lastIndex = at
  return sticky.test(text) ? sticky.lastIndex : undefined
}

const SCHEME = /(?:bearer|basic|token|digest|apikey|bot|negotiate|key)[ \t]{1,4}/iy
const CREDENTIAL = /[\w+/.~=:%-]{1,8192}/y

export function readAuthorization(text: string, at: number): SecretSpan | undefined {
  const schemeEnd = findEnd(SCHEME, text, at)
  const hasScheme = schemeEnd !== undefined
  const start = schemeEnd ?? at
  const end = findEnd(CREDENTIAL, text, start) ?? start
  const value = text.slice(start, end)
  if (value.length < (hasScheme ? 6 : 16) || isPlaceholder(value) || isCode(value)) return undefined
  const isSecret = (hasScheme || looksRandom(value, 16)) && /[\dA-Z=]/.test(value.slice(1))
  return isSecret ? { start, end } : undefined
}

/** `Bearer …` wherever it is. */
export function readScheme(text: string, at: number, schemeLength: number): SecretSpan | undefined {
  const start = findEnd(SCHEME, text, at) ?? -1
  const end = findEnd(CREDENTIAL, text, start)
  if (start < 0 || end === undefined) return undefined
  const value = text.slice(start, end)
  if (isPlaceholder(value) || isCode(value) || !looksRandom(value, schemeLength === 5 ? 12 : 16))
    return undefined
  return { start, end }
}

// In characters. The first cookies show if all of them are worth hiding.
const FIRST_COOKIES = 600
const COOKIES = /[^\r\n"'`\\]{1,4096}/y
const COOKIE = /[^\r\n"'`\\;]{1,4096}/y

export function readCookie(text: string, start: number, isOne: boolean): SecretSpan | undefined {
  const end = findEnd(isOne ? COOKIE : COOKIES, text, start)
  if (end === undefined) return undefined
  const value = text.slice(start, end)
  const pairs = value
    .slice(0, FIRST_COOKIES)
    .split(';')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const isSecret = (pair: string) =>
    pair.length >= 6 && looksSecret(pair) && !isPlaceholder(pair) && !isCode(pair)
  const isSet = /^\s*[\w.%-]{1,100}=/.test(value) && pairs.some(isSecret)
  return isSet ? { start: start + value.indexOf('=') + 1, end } : undefined
}

const NO_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|x+|\*+|\.{2,}|…|\[?redacted.*|x-oauth-basic|your[\w-]*|my[_-]?(?:password|pass)|\$.*|<.*|\{.*|%[\w(].*|user|port|host|REDACTED)$/i

/** Whether what is in the place of a password is one. */
export const isPassword = (value: string): boolean =>
  value !== '' && !NO_PASSWORD.test(value) && !/\$\{|\$\(|\{\{/.test(value)
