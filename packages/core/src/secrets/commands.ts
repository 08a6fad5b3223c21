/** Secrets that are known by where they stand: in addresses, in options of commands, in files of one line a login. */

type Add = (start: number, end: number) => void

export function findCommandSecrets(text: string, add: Add): void {
  findInAddresses(text, add)
  findInOptions(text, add)
  findInLines(text, add)
}

// ---- scheme://user:password@host

const LONGEST_USER_INFO = 400
const USER_INFO = /[^\s"'`<>\\/]{1,400}/y
const HOOK =
  /(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|(?:discord|discordapp)\.com\/api\/webhooks\/\d{5,25}\/|[\w-]{1,80}\.webhook\.office\.com\/webhookb2\/|api\.telegram\.org\/bot\d{5,16}:|chat\.googleapis\.com\/v1\/spaces\/[\w-]{1,40}\/messages\?|maker\.ifttt\.com\/use\/|outlook\.office\.com\/webhook\/)([^\s"'`<>\\]{8,400})/y

function findInAddresses(text: string, add: Add): void {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    const start = at + 3
    HOOK.lastIndex = start
    const path = HOOK.exec(text)?.[1]
    if (path !== undefined) {
      if (/\d/.test(path) && !/[{}$]|\.\.\.|XXX/.test(path)) add(HOOK.lastIndex - path.length, HOOK.lastIndex)
      continue
    }
    USER_INFO.lastIndex = start
    if (!USER_INFO.test(text)) continue
    const authority = text.slice(start, USER_INFO.lastIndex)
    const host = authority.lastIndexOf('@')
    if (host <= 0 || host > LONGEST_USER_INFO) continue
    const user = authority.indexOf(':')
    if (user < 0 || user > host) {
      if (host >= 16 && /\d/.test(authority.slice(0, host)) && /^[\w.~-]+$/.test(authority.slice(0, host)))
        add(start, start + host)
    } else if (isPassword(authority.slice(user + 1, host))) add(start + user + 1, start + host)
  }
  // Go's driver of MySQL has no scheme.
  for (const mark of ['@tcp(', '@unix(']) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      const before = text.slice(Math.max(0, at - 120), at)
      const password = /[\w.%-]{1,64}:([^\s"'`]{1,120})$/.exec(before)?.[1]
      if (password !== undefined && isPassword(password)) add(at - password.length, at)
    }
  }
}

const NO_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|pw|secret|token|x+|\*+|\.{2,}|…|\[?redacted.*|x-oauth-basic|your[\w-]*|my[_-]?(?:password|pass)|\$.*|<.*|\{.*|%[\w(].*|user|port|host|REDACTED)$/i

function isPassword(value: string): boolean {
  return value !== '' && !NO_PASSWORD.test(value) && !/\$\{|\$\(|\{\{/.test(value)
}

// ---- commands

interface CommandOption {
  readonly command: RegExp
  /** The last group is the secret. */
  readonly option: RegExp
}

const QUOTED = `\\\\{0,16}["']?([^\\s"'|;&\\\\]{3,200})`
const OPTIONS: readonly CommandOption[] = [
  {
    command: /^curl|^wget|^https?$|^httpie|^xh$/,
    option:
      /[ =](?:-[a-zA-Z]{0,5}u|--user|--proxy-user|-U|-a|--auth)[ =]{0,2}\\{0,16}["']?[^\s"':]{1,100}:([^\s"'|;&\\]{2,200})/,
  },
  { command: /^curl/, option: /[ ](?:-b|--cookie)[ =]["']?[\w.%-]{1,80}=([^\s"'|&]{6,2000})/ },
  { command: /^(?:mysql|mariadb)/, option: /[ ]-p\\{0,16}["']?([^\s"'|;&\\]{2,200})/ },
  {
    command:
      /^sshpass$|^docker$|^podman$|^buildah$|^skopeo$|^helm$|^mongo|^az$|^oc$|^nerdctl$|^cqlsh$|^influx$|^impacket/,
    option: new RegExp(`[ ]-p[ =]?${QUOTED}`),
  },
  { command: /^redis-cli$/, option: new RegExp(`[ ]-a[ =]?${QUOTED}`) },
  { command: /^ldap/, option: new RegExp(`[ ]-w[ =]?${QUOTED}`) },
  { command: /^(?:un)?zip$|^7z/, option: new RegExp(`[ ]-[pP][ =]?${QUOTED}`) },
  { command: /^smbclient$|^rpcclient$|^net$/, option: /[ ]-U[ =]?["']?[^\s"'%]{1,80}%([^\s"'\\]{2,200})/ },
  { command: /^sqlplus$|^expdp$|^impdp$/, option: /[ ]["']?[\w.$-]{1,60}\/([^\s"'@/\\]{2,120})@/ },
  { command: /^sqlcmd$|^bcp$|^isql$/, option: new RegExp(`[ ]-P[ =]?${QUOTED}`) },
  {
    command: /^htpasswd$/,
    option: /[ ]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ ](?:\S{1,200}[ ])?\S{1,80}[ ]\\{0,16}["']?([^\s"'\\]{3,200})/,
  },
  { command: /^openssl$/, option: /[ ]["']?pass:([^\s"'\\]{2,200})/ },
  { command: /^vault$|^op$|^gh$|^heroku$/, option: /[ ]login[ ](?![-a-z]+=?(?:[ ]|$))["']?([\w.-]{12,200})/ },
  { command: /^aws$/, option: /[ ]set[ ][\w.-]{0,60}(?:secret_access_key|session_token)[ ]["']?([^\s"'\\]{8,2000})/ },
]
// The letter of an escaped line break is none of a name, as in JSON: `\\ncurl`.
const COMMAND =
  /(?:\b|(?<=\\[nrt]))(?:curl|wget|https?|httpie|xh|mysql\w{0,8}|mariadb(?:-\w{1,8})?|sshpass|docker|podman|buildah|skopeo|helm|mongo\w{0,8}|az|oc|nerdctl|cqlsh|influx|redis-cli|ldap\w{0,8}|unzip|zip|7za?|smbclient|rpcclient|sqlplus|expdp|impdp|sqlcmd|bcp|isql|htpasswd|openssl|vault|gh|heroku|aws|op)(?=[ ])/g
const LONGEST_COMMAND = 300

function findInOptions(text: string, add: Add): void {
  COMMAND.lastIndex = 0
  for (let name = COMMAND.exec(text); name; name = COMMAND.exec(text)) {
    const start = COMMAND.lastIndex
    const line = text.slice(start, start + LONGEST_COMMAND)
    // A backslash at the end of a line goes on in the next.
    const end = line.search(/\\n|(?<!\\)\n/)
    const rest = end < 0 ? line : line.slice(0, end)
    if (!rest.includes(' -') && !rest.includes('pass:') && !/ (?:login|set) |@/.test(rest)) continue
    for (const { command, option } of OPTIONS) {
      if (!command.test(name[0])) continue
      const match = option.exec(rest)
      const value = match?.[1]
      if (!match || value === undefined || !isPassword(value) || /^\d{1,5}(?::\d{1,5})?$/.test(value)) continue
      const from = start + match.index + match[0].lastIndexOf(value)
      add(from, from + value.length)
    }
  }
}

// ---- files of one login a line, and statements

interface LinePattern {
  /** A text without it has none of them. */
  readonly sign: RegExp
  /** The group is the secret. */
  readonly pattern: RegExp
}

const LINES: readonly LinePattern[] = [
  // .pgpass
  {
    sign: /:(?:5432|5433|6432|6543|25060|26257|\*):/,
    pattern:
      /(?<=^|[\s"'`+→|]|\\[nrt])[\w.*-]{1,100}:(?:5432|5433|6432|6543|25060|26257|\*):[^:\s"'\\]{1,64}:[^:\s"'\\]{1,64}:([^\s"'\\]{2,200})/gm,
  },
  // SQL
  {
    sign: /IDENTIFIED|identified/,
    pattern:
      /IDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,60}\s{1,3})?(?:BY|AS)\s{1,3}(?:PASSWORD\s{1,3})?\\{0,16}["']([^"'\\\n]{2,200})/gi,
  },
  // echo name:password | chpasswd
  {
    sign: /chpasswd/,
    pattern: /(?<![\w.-])[\w.-]{1,40}:([^\s"'|:\\]{2,100})\\{0,16}["']?\s{1,3}\|\s{1,3}(?:sudo\s{1,3})?chpasswd/g,
  },
  // Oracle
  {
    sign: /jdbc:oracle/,
    pattern: /jdbc:oracle:[a-z]{2,10}:[\w$#]{1,60}\/([^\s"'`@\\]{2,120})@/g,
  },
  // Refresh tokens of Google.
  { sign: /1\/\/0/, pattern: /(?<![\w/])1\/\/0([\w-]{30,200})/g },
]

function findInLines(text: string, add: Add): void {
  for (const { sign, pattern } of LINES) {
    if (!sign.test(text)) continue
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const value = match[1] ?? ''
      if (!isPassword(value)) continue
      const start = match.index + match[0].lastIndexOf(value)
      add(start, start + value.length)
    }
  }
}
