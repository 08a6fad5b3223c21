/**
 * Secrets that are an option of a command: in a line of a shell, and in a list of arguments,
 * `["sshpass", "-p", "…"]` and `spawn('curl', ['-u', 'user:…'])`.
 */

import {
  type AddSecret,
  isCode,
  isPassword,
  isPlaceholder,
  looksSecret,
  type SecretSpan,
} from './placeholder.ts'

const VALUE = `([^\\s"'|;&\\\\]{3,200})`
const QUOTED = `\\\\{0,16}["']?${VALUE}`
/** `key=value key2=value2` */
const PAIR = new RegExp(`[ ]\\\\{0,16}["']?[\\w.-]{1,60}=${QUOTED}`, 'g')

interface SecretOption {
  /** Names of commands, an expression. */
  readonly names: string
  /** Its group is the secret. */
  readonly option: RegExp
  /** The option is only looked for behind it. */
  readonly after?: RegExp
  /** Not all that the command sets is secret. */
  readonly isAny?: boolean
}

const OPTIONS: readonly SecretOption[] = [
  {
    names: 'curl|wget|https?|httpie|xh',
    option:
      /[ =](?:-[a-zA-Z]{0,5}u|--user|--proxy-user|-U|-a|--auth)[ =]{0,2}\\{0,16}["']?[^\s"':]{1,100}:([^\s"'|;&\\]{2,200})/g,
  },
  { names: 'curl', option: /[ ](?:-b|--cookie)[ =]["']?[\w.%-]{1,80}=([^\s"'|&]{6,2000})/g },
  {
    names: 'mysql\\w{0,8}|mariadb(?:-\\w{1,8})?',
    option: /[ ]-p\\{0,16}["']?([^\s"'|;&\\]{2,200})/g,
  },
  {
    names: 'sshpass|mongo\\w{0,8}|cqlsh|influx|impacket-\\w{1,20}|[pP]s[eE]xec(?:64)?',
    option: new RegExp(`[ ]-p[ =]?${QUOTED}`, 'g'),
  },
  {
    names: 'docker|podman|buildah|skopeo|helm|az|oc|nerdctl',
    after: /[ ]login(?=[ ])/,
    option: new RegExp(`[ ]-p[ =]?${QUOTED}`, 'g'),
  },
  { names: 'redis-cli', option: new RegExp(`[ ]-a[ =]?${QUOTED}`, 'g') },
  { names: 'ldap\\w{0,8}', option: new RegExp(`[ ]-w[ =]?${QUOTED}`, 'g') },
  { names: '(?:un)?zip', option: new RegExp(`[ ]-P[ =]?${QUOTED}`, 'g') },
  { names: '7z[ar]?', option: new RegExp(`[ ]-p${QUOTED}`, 'g') },
  { names: '(?:un)?rar', option: new RegExp(`[ ]-h?p${QUOTED}`, 'g') },
  { names: 'ssh-keygen', option: new RegExp(`[ ]-[NP][ ]?${QUOTED}`, 'g') },
  { names: 'plink|pscp|psftp|putty', option: new RegExp(`[ ]-pw[ ]${QUOTED}`, 'g') },
  { names: 'useradd|usermod', option: new RegExp(`[ ]-p[ ]?${QUOTED}`, 'g') },
  { names: 'lftp', option: new RegExp(`[ ]-u[ ]?["']?[^\\s"',]{1,80},${VALUE}`, 'g') },
  { names: 'schtasks(?:\\.exe)?', option: new RegExp(`[ ]/rp[ ]${QUOTED}`, 'gi') },
  { names: '(?:[xw]l?|sdl-?)freerdp3?', option: new RegExp(`[ ]["']?/p:${QUOTED}`, 'g') },
  {
    names: 'security',
    option: new RegExp(`[ ]add-\\w{5,12}-password[ ][^\\n]{0,200}?-w[ ]${QUOTED}`, 'g'),
  },
  {
    names: 'gh',
    option: new RegExp(`[ ]secret[ ]set[ ][^\\n]{0,100}?(?:-b|--body)[ =]${QUOTED}`, 'g'),
  },
  { names: 'fly(?:ctl)?', after: /[ ]secrets[ ]set(?=[ ])/, option: PAIR },
  { names: 'vault', after: /[ ](?:kv[ ](?:put|patch)|write)(?=[ ])/, option: PAIR, isAny: true },
  { names: 'heroku', after: /[ ]config:(?:set|add)(?=[ ])/, option: PAIR, isAny: true },
  {
    names: 'a(?:ws|z)',
    option: new RegExp(
      `[ ](?:--secret-string[ =]|(?:keyvault[ ]secret[ ]set|SecureString)[ ][^\\n]{0,200}?--value[ =])${QUOTED}`,
      'g',
    ),
  },
  {
    names: 'smbclient|rpcclient|net',
    option: /[ ]-U[ =]?["']?[^\s"'%]{1,80}%([^\s"'\\]{2,200})/g,
  },
  { names: 'sqlplus|expdp|impdp', option: /[ ]["']?[\w.$-]{1,60}\/([^\s"'@/\\]{2,120})@/g },
  { names: 'sqlcmd|bcp|isql', option: new RegExp(`[ ]-P[ =]?${QUOTED}`, 'g') },
  {
    names: 'htpasswd',
    option:
      /[ ]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ ](?:\S{1,200}[ ])?\S{1,80}[ ]\\{0,16}["']?([^\s"'\\]{3,200})/g,
  },
  { names: 'openssl', option: /[ ]["']?pass:([^\s"'\\]{2,200})/g },
  {
    names: 'vault|op|gh|heroku',
    option: /[ ]login[ ](?![-a-z]+=?(?:[ ]|$))["']?([\w.-]{12,200})/g,
  },
  {
    names: 'aws',
    option: /[ ]set[ ][\w.-]{0,60}(?:secret_access_key|session_token)[ ]["']?([^\s"'\\]{8,2000})/g,
  },
]
const COMMANDS = OPTIONS.map((option) => ({
  ...option,
  command: new RegExp(`^(?:${option.names})$`),
}))
const NAMES = [...new Set(OPTIONS.map(({ names }) => names))].join('|')
// The letter of an escaped line break does not belong to a name, as in JSON: `\\ncurl`.
const COMMAND = new RegExp(`(?:\\b|(?<=\\\\[nrt]))(?:${NAMES})(?=[ ])`, 'g')
const LONGEST_COMMAND = 300
// Every secret option has one of these before it, in its own line or, of those of `aws`, in itself.
const OPTION_MARKS = [
  '@',
  'pass:',
  'login ',
  '_access_key',
  '_token',
  '/p:',
  '/rp ',
  '/RP ',
  'secrets set ',
  'config:set ',
  'config:add ',
  'kv put ',
  'kv patch ',
  'write ',
]
const HAS_OPTION = / -| (?:login|set|put|patch|write|config:\w+) |pass:|@| \/(?:p:|rp )/i

export function findInCommands(text: string, add: AddSecret): void {
  for (const [lineStart, end] of listOptionLines(text)) {
    const line = text.slice(lineStart, end)
    COMMAND.lastIndex = 0
    for (let name = COMMAND.exec(line); name; name = COMMAND.exec(line))
      findInLine(text, name[0], lineStart + COMMAND.lastIndex, add)
  }
  for (const { 0: before, 1: name = '', 2: quote = '', index } of text.matchAll(LISTED))
    findInList(text, name, index + before.length + quote.length, add)
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

// In quotes, a space or a sign does not end an argument.
const QUOTES = /(?<=[ =:])(\\{0,16}["'])([^"'\\\n]{1,200})\1(?![^\s;|&)\]\\"'])/g
const ENDS = /[\s"'|;&\\]/g
// Takes the place of what would end an argument.
const INSIDE = '\u0001'

function findInLine(text: string, name: string, start: number, add: AddSecret): void {
  const line = text.slice(start, start + LONGEST_COMMAND)
  // After a backslash the line continues in the next.
  const end = line.search(/\\n|(?<!\\)\n/)
  const rest = end < 0 ? line : line.slice(0, end)
  if (!HAS_OPTION.test(rest)) return
  const masked = rest.replace(
    QUOTES,
    (_, quote: string, inside: string) => quote + inside.replace(ENDS, INSIDE) + quote,
  )
  for (const span of findOptions(name, masked, rest)) add(start + span.start, start + span.end)
}

/** `given`: the same line, with what is in quotes as it is. */
function* findOptions(name: string, line: string, given: string): Generator<SecretSpan> {
  for (const { command, after, option, isAny } of COMMANDS) {
    if (!command.test(name)) continue
    const found = after?.exec(line)
    if (after && !found) continue
    const from = found ? found.index + found[0].length : 0
    for (const match of line.slice(from).matchAll(option)) {
      const length = match[1]?.length ?? 0
      const start = from + match.index + match[0].length - (match[0].endsWith('@') ? 1 : 0) - length
      const value = given.slice(start, start + length)
      if (!isPassword(value) || /^\d{1,5}(?::\d{1,5})?$|^--?[a-z]/.test(value)) continue
      if (isAny && (!looksSecret(value) || isPlaceholder(value) || isCode(value))) continue
      yield { start, end: start + length }
    }
  }
}

const LISTED = new RegExp(`["'](?:[\\w.:~/-]{0,80}/)?(${NAMES})(?=(\\\\{0,16}["'])\\s{0,40},)`, 'g')
const NEXT_ARGUMENT = /\s{0,40},\s{0,40}(?:\[\s{0,40})?(\\{0,16}["'])/y

/** Arguments that are texts in quotes. `from` is the end of the command's own quote. */
function findInList(text: string, name: string, from: number, add: AddSecret): void {
  const places: { readonly at: number; readonly start: number }[] = []
  let [line, given] = ['', '']
  NEXT_ARGUMENT.lastIndex = from
  for (let open = NEXT_ARGUMENT.exec(text); open; open = NEXT_ARGUMENT.exec(text)) {
    const start = NEXT_ARGUMENT.lastIndex
    const end = text.slice(start, start + LONGEST_COMMAND).indexOf(open[1]!)
    if (end < 0 || line.length > LONGEST_COMMAND * 4) break
    const argument = text.slice(start, start + end)
    places.push({ at: line.length + 1, start })
    line += ` ${argument.replace(ENDS, INSIDE)}`
    given += ` ${argument}`
    NEXT_ARGUMENT.lastIndex = start + end + open[1]!.length
  }
  for (const { start, end } of findOptions(name, line, given)) {
    const place = places.findLast(({ at }) => at <= start)
    if (place) add(place.start + start - place.at, place.start + end - place.at)
  }
}
