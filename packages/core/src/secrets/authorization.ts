/** Credentials in HTTP headers: `Authorization: …`, `Cookie: …`, and `Bearer …` wherever it stands. Each is read from where its value begins. */
import { isCode, isPlaceholder, looksRandom, looksSecret } from './placeholder.ts'

export interface Span {
  readonly start: number
  readonly end: number
}

const SCHEME = /(?:bearer|basic|token|digest|apikey|bot|negotiate|key)[ \t]{1,4}/iy
const CREDENTIAL = /[\w+/.~=:%-]{1,8192}/y

export function readAuthorization(text: string, at: number): Span | undefined {
  SCHEME.lastIndex = at
  const hasScheme = SCHEME.test(text)
  const start = hasScheme ? SCHEME.lastIndex : at
  CREDENTIAL.lastIndex = start
  if (!CREDENTIAL.test(text)) return undefined
  const end = CREDENTIAL.lastIndex
  const value = text.slice(start, end)
  const isLong = value.length >= (hasScheme ? 6 : 16)
  if (!isLong || isPlaceholder(value) || isCode(value)) return undefined
  const isSecret = (hasScheme || looksRandom(value, 16)) && /[\dA-Z=]/.test(value.slice(1))
  return isSecret ? { start, end } : undefined
}

/** `Bearer …` wherever it stands. */
export function readScheme(text: string, start: number, end: number): Span | undefined {
  SCHEME.lastIndex = start
  if (!SCHEME.test(text)) return undefined
  CREDENTIAL.lastIndex = SCHEME.lastIndex
  if (!CREDENTIAL.test(text)) return undefined
  const value = text.slice(SCHEME.lastIndex, CREDENTIAL.lastIndex)
  if (isPlaceholder(value) || isCode(value) || !looksRandom(value, end - start === 5 ? 12 : 16)) return undefined
  return { start: SCHEME.lastIndex, end: CREDENTIAL.lastIndex }
}

// One of the first tells whether they are worth hiding.
const FIRST_COOKIES = 600
const COOKIES = /[^\r\n"'`\\]{1,4096}/y
const COOKIE = /[^\r\n"'`\\;]{1,4096}/y

export function readCookie(text: string, start: number, isOne: boolean): Span | undefined {
  const expression = isOne ? COOKIE : COOKIES
  expression.lastIndex = start
  if (!expression.test(text)) return undefined
  const value = text.slice(start, expression.lastIndex)
  const pairs = value
    .slice(0, FIRST_COOKIES)
    .split(';')
    .map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
  const isSet =
    /^\s*[\w.%-]{1,100}=/.test(value) &&
    pairs.some((pair) => pair.length >= 6 && looksSecret(pair) && !isPlaceholder(pair) && !isCode(pair))
  return isSet ? { start: start + value.indexOf('=') + 1, end: expression.lastIndex } : undefined
}
