/** Whether the value of a name that sounds secret is a secret: a literal in quotes, or a bare word. */

import {
  hasCommonWord,
  isCode,
  isKnown,
  isMixed,
  isPlaceholder,
  isSentence,
  looksRandom,
  looksSecret,
  type SecretSpan,
} from './placeholder.ts'

// The name decides how little makes a value a secret: any `password` is one, a `token` only if it
// looks random.
export type Worth = 'password' | 'secret' | 'token'

export interface Separator {
  /** The start of the value, or of its quote. */
  readonly end: number
  /** `pair`: name and value are members of their own. */
  readonly kind: 'assignment' | 'comparison' | 'argument' | 'element' | 'word' | 'space' | 'pair'
  readonly isTight: boolean
  /** The name and the value are cells of a table. */
  readonly isCell: boolean
}

export interface Named {
  readonly text: string
  readonly name: string
  readonly worth: Worth
  readonly separator: Separator
  /** Of the name. */
  readonly start: number
  readonly isOption: boolean
}

// The beginning of a longer value shows what it is.
const LONGEST_JUDGED = 256

export function isEnvironment({ text, name, separator, start }: Named): boolean {
  if (!/^[A-Z][A-Z0-9_]{2,}$/.test(name)) return false
  if (separator.kind === 'space')
    return /(?:\b|\\[nrt])(?:ENV|setx|setenv|SetEnv)[ \t]{1,4}$/.test(
      text.slice(Math.max(0, start - 12), start),
    )
  return separator.kind === 'assignment' && separator.isTight
}

const ESCAPED_QUOTE = /\\{1,16}["'`]/g
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

export function isSecretLiteral(given: string, named: Named): boolean {
  const value = given.slice(0, LONGEST_JUDGED)
  const { worth, separator, name, start } = named
  if (value.length < 3 || isPlaceholder(value)) return false
  const isArray = separator.kind === 'argument'
  if (separator.kind === 'word') return isMixed(value) && !/\s/.test(value) && !isKnown(value)
  if (/(?:mnemonic|seed_?phrase)$/i.test(name) && value.split(' ').length >= 12) return true
  if (/\s/.test(value)) {
    // `Doesn\'t match` is a sentence. With a digit, an escaped quote may be one more sign.
    const words = looksSecret(value) ? value.replace(ESCAPED_QUOTE, '') : value
    return worth === 'password' && !isArray && (named.isOption || !isSentence(words))
  }
  if (separator.kind === 'comparison' && !looksSecret(value)) return false
  if (separator.kind === 'space' && !named.isOption && !isEnvironment(named)) {
    return (
      worth === 'password' &&
      (/^[A-Z]+$/.test(name) || /[\d!@#$%^&*]/.test(value)) &&
      !isCode(value)
    )
  }
  if (isArray && worth === 'token') return looksRandom(value, 16)
  if (isArray) return /\d/.test(value) && looksSecret(value) && !isCode(value)
  // The name is the end of a path.
  if (named.text.charAt(start - 1) === '/') return worth === 'password' && looksRandom(value, 8)
  if (/^pass$/i.test(name) && VERDICT.test(value)) return false
  if (worth === 'password') return !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value) && !isCode(value)
  if (worth === 'secret')
    return value.length >= 6 && !isCode(value) && (looksSecret(value) || looksRandom(value, 8))
  return !isUuid(value, named) && looksRandom(value, 12)
}

// `passed ? 'pass' : 'fail'`
const VERDICT =
  /^(?:error|fail(?:ed|ure)?|incomplete|none|partial|pending|review|skip(?:ped)?|unknown|warn(?:ing)?)$/i

/** A UUID names something, unless the variable says that it is a token. */
const isUuid = (value: string, named: Named): boolean =>
  UUID.test(value) && !/_TOKEN$|_KEY$/.test(named.name)

export function isSecretBare(whole: string, named: Named, span: SecretSpan): boolean {
  const { worth, separator, text } = named
  const given = whole.slice(0, LONGEST_JUDGED)
  const value = given.replace(/[.,;:)\]}]{1,4}$/, '')
  const isElement = separator.kind === 'element'
  if (value.length < 3 || isPlaceholder(given) || isPlaceholder(value)) return false
  if (!isElement && isCode(value)) return false
  const isEnv = isEnvironment(named)
  if (isElement && text.charAt(named.start - 1) !== '<') return false
  if (separator.kind === 'word')
    return worth !== 'token' && value.length >= 6 && isMixed(value) && !isKnown(value)
  if (separator.kind === 'space' && !isEnv) {
    if (!named.isOption && worth === 'password')
      return isAfterLogin(text, named.start) || looksRandom(value, 6)
    if (!named.isOption)
      return /^[\w+=-]{20,}$/.test(value) && !UUID.test(value) && looksRandom(value, 20)
    if (value.startsWith('-')) return false
    return worth === 'password' ? looksSecret(value) : looksRandom(value, 8)
  }
  if (isEnv || isElement || named.isOption || isInQuery(text, named.start)) {
    if (worth === 'password') return true
    if (worth === 'secret') return value.length >= 6 && (isEnv || looksSecret(value))
    return looksRandom(value, 8)
  }
  if (isDeclared(text, named.start) || /^[([.]/.test(text.slice(span.end, span.end + 1)))
    return false
  if (worth === 'password') {
    if (/^\d+$/.test(value)) return value.length >= 4
    return looksSecret(value) || isPlainWord(value, named, span)
  }
  if (worth === 'secret') return looksSecret(value) && looksRandom(value, 8)
  return !isUuid(value, named) && looksRandom(value, 16)
}

/** `password=sesame` and the line `password: sesame`, in places where no program has a name. */
function isPlainWord(
  value: string,
  { text, separator, start }: Named,
  { end }: SecretSpan,
): boolean {
  if (separator.kind !== 'assignment' || !/^[a-z][A-Za-z-]{3,40}$/.test(value)) return false
  if (hasCommonWord(value)) return false
  if (!/^(?:$|[\s"'&;]|\\[nrt"'])/.test(text.slice(end, end + 2))) return false
  return (
    separator.isTight ||
    /(?:^|\n|\\[nrt]|["'→])[ \t+-]{0,20}$/.test(text.slice(Math.max(0, start - 24), start))
  )
}

export function isInQuery(text: string, start: number): boolean {
  return /[?&;]/.test(text.charAt(start - 1))
}

/** In a program a value without quotes is never a literal. */
function isDeclared(text: string, start: number): boolean {
  const line = text.slice(Math.max(0, start - 80), start)
  return /(?:^|[\s(])(?:(?:const|let|var|val|final|return|def|func|fn)\s|(?:self|this)\.)[^\n]{0,40}$/.test(
    line,
  )
}

/** `machine example.com login name password …` in `.netrc`. */
function isAfterLogin(text: string, start: number): boolean {
  return /(?:\b|\\[nrt])(?:login|machine|default)\s[^\n]{0,100}\n?[^\n]{0,60}$/.test(
    text.slice(Math.max(0, start - 200), start),
  )
}
