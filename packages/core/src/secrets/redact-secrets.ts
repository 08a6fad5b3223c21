/**
 * The one place that knows what looks like a secret. Everything that precis writes or shows of a
 * conversation passes through it: digests, prompts, ledgers, reports, pages, excerpts. Untouched
 * messages and restored originals do not.
 */

import { decodeSigns, PIECE_END } from './decode-signs.ts'
import { findInLines } from './find-in-lines.ts'
import { findNamedValues } from './named-values.ts'
import { findEnd, isPassword } from './placeholder.ts'
import { findShapes, skipAll } from './shapes.ts'
import { skipTerminalCodes, TERMINAL_CODE } from './terminal-codes.ts'

type Add = (start: number, end: number) => void

/** The mark that replaces a secret. It names the command that restores the original. */
export const REDACTED = '[redacted: precis restore]'

/**
 * Replaces text that looks like a key, a token or a password by `REDACTED`. Its time grows with the
 * length of the text.
 */
export function redactSecrets(text: string): string {
  const steps = redactInSteps(text)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same, for long texts on a thread that serves others. */
export function* redactInSteps(text: string): Generator<undefined, string, undefined> {
  const found: { start: number; end: number }[] = []
  const add: Add = (start, end) => void found.push({ start, end })
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

/** In the text as it is, and as a terminal shows it: a code may be before a key, or inside. */
function* findShown(text: string, add: Add): Generator<undefined, void, undefined> {
  yield* findSecrets(text, add)
  const shown = skipTerminalCodes(text)
  if (!shown) return
  yield* findShapes(
    text.replace(TERMINAL_CODE, ({ length }) => ' '.repeat(length)),
    add,
  )
  yield* findSecrets(shown.text, (start, end) =>
    // The codes behind a secret stay.
    add(shown.placeOf(start), shown.placeOf(end - 1) + 1),
  )
}

function* findSecrets(text: string, add: Add): Generator<undefined, void, undefined> {
  yield* findShapes(text, add)
  yield* findNamedValues(text, add)
  for (const find of [findPrivateKeys, findInAddresses, findInOptions, findInLines]) {
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

function findPrivateKeys(text: string, add: Add): void {
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
function findInAddresses(text: string, add: Add): void {
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

const QUOTED = `\\\\{0,16}["']?([^\\s"'|;&\\\\]{3,200})`
// The group of an option is the secret.
const OPTIONS = [
  {
    command: /^curl|^wget|^https?$|^httpie|^xh$/,
    option:
      /[ =](?:-[a-zA-Z]{0,5}u|--user|--proxy-user|-U|-a|--auth)[ =]{0,2}\\{0,16}["']?[^\s"':]{1,100}:([^\s"'|;&\\]{2,200})/,
  },
  { command: /^curl/, option: /[ ](?:-b|--cookie)[ =]["']?[\w.%-]{1,80}=([^\s"'|&]{6,2000})/ },
  { command: /^(?:mysql|mariadb)/, option: /[ ]-p\\{0,16}["']?([^\s"'|;&\\]{2,200})/ },
  {
    command:
      /^sshpass$|^docker$|^podman$|^buildah$|^skopeo$|^helm$|^mongo|^az$|^oc$|^nerdctl$|^cqlsh$|^influx$|^impacket|^psexec/i,
    option: new RegExp(`[ ]-p[ =]?${QUOTED}`),
  },
  { command: /^redis-cli$/, option: new RegExp(`[ ]-a[ =]?${QUOTED}`) },
  { command: /^ldap/, option: new RegExp(`[ ]-w[ =]?${QUOTED}`) },
  { command: /^(?:un)?zip$|^7z/, option: new RegExp(`[ ]-[pP][ =]?${QUOTED}`) },
  { command: /^(?:un)?rar$/, option: new RegExp(`[ ]-h?p${QUOTED}`) },
  { command: /^ssh-keygen$/, option: new RegExp(`[ ]-[NP][ ]?${QUOTED}`) },
  { command: /^(?:plink|pscp|psftp|putty)$/, option: new RegExp(`[ ]-pw[ ]${QUOTED}`) },
  {
    command: /^security$/,
    option: new RegExp(`[ ]add-\\w{5,12}-password[ ][^\\n]{0,200}?-w[ ]${QUOTED}`),
  },
  {
    command: /^gh$/,
    option: new RegExp(`[ ]secret[ ]set[ ][^\\n]{0,100}?(?:-b|--body)[ =]${QUOTED}`),
  },
  {
    command: /^a(?:ws|z)$/,
    option: new RegExp(
      `[ ](?:--secret-string[ =]|(?:keyvault[ ]secret[ ]set|SecureString)[ ][^\\n]{0,200}?--value[ =])${QUOTED}`,
    ),
  },
  {
    command: /^smbclient$|^rpcclient$|^net$/,
    option: /[ ]-U[ =]?["']?[^\s"'%]{1,80}%([^\s"'\\]{2,200})/,
  },
  { command: /^sqlplus$|^expdp$|^impdp$/, option: /[ ]["']?[\w.$-]{1,60}\/([^\s"'@/\\]{2,120})@/ },
  { command: /^sqlcmd$|^bcp$|^isql$/, option: new RegExp(`[ ]-P[ =]?${QUOTED}`) },
  {
    command: /^htpasswd$/,
    option:
      /[ ]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ ](?:\S{1,200}[ ])?\S{1,80}[ ]\\{0,16}["']?([^\s"'\\]{3,200})/,
  },
  { command: /^openssl$/, option: /[ ]["']?pass:([^\s"'\\]{2,200})/ },
  {
    command: /^vault$|^op$|^gh$|^heroku$/,
    option: /[ ]login[ ](?![-a-z]+=?(?:[ ]|$))["']?([\w.-]{12,200})/,
  },
  {
    command: /^aws$/,
    option: /[ ]set[ ][\w.-]{0,60}(?:secret_access_key|session_token)[ ]["']?([^\s"'\\]{8,2000})/,
  },
]
// The letter of an escaped line break does not belong to a name, as in JSON: `\\ncurl`.
const COMMAND =
  /(?:\b|(?<=\\[nrt]))(?:curl|wget|https?|httpie|xh|mysql\w{0,8}|mariadb(?:-\w{1,8})?|sshpass|docker|podman|buildah|skopeo|helm|mongo\w{0,8}|az|oc|nerdctl|cqlsh|influx|redis-cli|ldap\w{0,8}|unzip|zip|7za?|smbclient|rpcclient|sqlplus|expdp|impdp|sqlcmd|bcp|isql|htpasswd|openssl|vault|gh|heroku|aws|op|(?:un)?rar|[pP]s[eE]xec(?:64)?|ssh-keygen|plink|pscp|psftp|putty|security|net)(?=[ ])/g
const LONGEST_COMMAND = 300
// Every secret option has one of these before it, in its own line or, of those of `aws`, in itself.
const OPTION_MARKS = ['@', 'pass:', 'login ', '_access_key', '_token']

function findInOptions(text: string, add: Add): void {
  for (const [lineStart, end] of listOptionLines(text)) {
    const line = text.slice(lineStart, end)
    COMMAND.lastIndex = 0
    for (let name = COMMAND.exec(line); name; name = COMMAND.exec(line))
      findInCommand(text, name[0], lineStart + COMMAND.lastIndex, add)
  }
}

/** Lines up to the last sign of an option in each; they ascend. */
function listOptionLines(text: string): (readonly [start: number, end: number])[] {
  // ` -p`, ` --user`: no dash of a list, of a sum or of a number.
  const marks = Array.from(text.matchAll(/ -[-a-zA-Z]/g), ({ index }) => index + 1)
  for (const mark of OPTION_MARKS)
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) marks.push(at)
  marks.sort((a, b) => a - b)
  const lines: [start: number, end: number][] = []
  let start = 0
  let lineEnd = -1
  for (const mark of marks) {
    for (; lineEnd < mark; lineEnd = findLineEnd(text, lineEnd + 1)) start = lineEnd + 1
    const last = lines.at(-1)
    if (last?.[0] === start) last[1] = mark
    else lines.push([start, mark])
  }
  return lines
}

/** A line that ends with a backslash continues in the next. */
function findLineEnd(text: string, from: number): number {
  let end = text.indexOf('\n', from)
  while (end > 0 && text.charAt(end - 1) === '\\') end = text.indexOf('\n', end + 1)
  return end < 0 ? text.length : end
}

function findInCommand(text: string, name: string, start: number, add: Add): void {
  const line = text.slice(start, start + LONGEST_COMMAND)
  // After a backslash the line continues in the next.
  const end = line.search(/\\n|(?<!\\)\n/)
  const rest = end < 0 ? line : line.slice(0, end)
  if (!rest.includes(' -') && !rest.includes('pass:') && !/ (?:login|set) |@/.test(rest)) return
  for (const { command, option } of OPTIONS) {
    if (!command.test(name)) continue
    const match = option.exec(rest)
    const value = match?.[1]
    if (!match || value === undefined || !isPassword(value) || /^\d{1,5}(?::\d{1,5})?$/.test(value))
      continue
    const from = start + match.index + match[0].lastIndexOf(value)
    add(from, from + value.length)
  }
}
