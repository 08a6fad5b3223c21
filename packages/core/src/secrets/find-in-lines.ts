import { type AddSecret, isPassword } from './placeholder.ts'

// A command goes on in the next line after a backtick, also behind its number or the sign of a diff.
// Only what follows the number or the sign is indentation, so no space can be matched in two ways.
const NEXT_LINE =
  '`(?:\\r?\\n|\\\\{1,16}(?:r\\\\{1,16})?n)(?:[ \\t]{0,8}(?:\\d{1,6}(?:[→|:\\t]|\\\\{1,16}t)\\+?|\\+))?[ \\t]{0,16}'
const GAP = `(?:[ \\t]{1,12}|${NEXT_LINE})(?:${NEXT_LINE}){0,3}`
const TO_SECURE = `(?:${GAP}-(?:String|AsPlainText|Force)\\b){0,3}`
const LITERAL = `\\\\{0,16}(?:"((?:[^"\\\\\\r\\n]|\\\\{1,16}(?!["'\\\\])){2,200})|'((?:[^'\\\\\\r\\n]|\\\\{1,16}(?!["'\\\\])){2,200}))`
// A value without quotes is a password if it looks like no word of a sentence.
const BARE = `(?=\\S{0,200}[\\d!#%^&*])([^\\s"'\\\\()|;$@-][^\\s"'\\\\()|;]{1,200})`

const IDENTIFIED = /[iI][dD][eE][nN][tT][iI][fF][iI][eE][dD]\s/
const SECURE_STRING = /-[sS][eE][cC][uU][rR][eE][sS][tT][rR][iI][nN][gG]/

// As in `COMMAND`.
const BEGIN = '(?:\\b|(?<=\\\\[nrt]))'
const WORD = `((?!yes[ ])[^\\s"'\\\\|;&<>()$\`/*-][^\\s"'\\\\|;&<>()]{1,200})`
const READS_SECRET =
  /-[a-zA-Z]{0,3}S |passwd|kinit|secrets? |-(?:password-stdin|with-token|passphrase-fd)/
const COMMAND_WORDS = '(?:[^\\s|;&<"\']{1,60}[ ]{1,3})'
// Programs that run the command behind them.
const RUNNER =
  '(?:sudo|doas|su|runuser|gosu|(?:arch-)?chroot|nsenter|ssh|docker|podman|nerdctl|kubectl|oc|lxc|incus|vagrant|busybox|time|timeout|nohup|nice|setsid|env|exec|command)'
// `passwd` is also a file and a word that is looked for: `grep passwd`.
const RUN_WORDS = `(?:(?!(?:[efz]?grep|rg|getent|cat|man|which|install)[ ])${COMMAND_WORDS})`
const RUN = `(?:(?:${RUNNER}[ ]{1,3}|[A-Z_][A-Z0-9_]{0,40}=)${RUN_WORDS}{0,12}?)?`
const READER = `(?:sudo[ ]{1,3}${COMMAND_WORDS}{0,3}?-[a-zA-Z]{0,3}S(?![\\w-])|(?:(?<=\\\\[nrt])|(?<![\\w./-][ ]{0,3}))${RUN}(?:/(?:[\\w.-]{1,40}/){0,6}s?bin/)?(?:(?:ch)?passwd|kinit)(?![\\w-])|${COMMAND_WORDS}{1,3}?secrets?[ ](?:set|put|create|add|versions)(?![\\w-])|${COMMAND_WORDS}{1,12}?--(?:password-stdin|with-token|passphrase-fd))`
const NAMED_ELSEWHERE =
  /(?:密码|密碼|口令|パスワード|비밀번호|[Пп]ароль|[Pp]asswort|[Kk]ennwort|[Cc]ontraseña|[Mm]ot de passe|(?<![a-z])[Ss]enha)/

// `req.body.senha1`, an address, or words for a form that name the password again, and no `Passwort123`.
const ELSEWHERE_NO_SECRET = `(?:args|body|config|context|ctx|data|document|env|event|form|input|options|opts|params|process|props|query|re[qs]|request|response|self|settings|state|this|user|values|window)\\.[A-Za-z_]|https?:|\\\\{0,16}["'][^"'\\n]{0,80}${NAMED_ELSEWHERE.source}(?![\\w-]{0,40}\\d)`

/**
 * Files with one login per line, statements, and commands whose secret is no option. A text without
 * the sign contains no such logins. Signs have no flags, so that they can be joined. The group is the
 * secret.
 */
const LINES = [
  // .pgpass
  {
    sign: /:(?:5432|5433|6432|6543|25060|26257|\*):/,
    pattern:
      /(?<=^|[\s"'`+→|=]|\\[nrt])[\w.*-]{1,100}:(?:5432|5433|6432|6543|25060|26257|\*):[^:\s"'\\]{1,64}:[^:\s"'\\]{1,64}:([^\s"'\\]{2,200})/gm,
  },
  // SQL
  {
    sign: IDENTIFIED,
    pattern:
      /IDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,60}\s{1,3})?(?:BY|AS)\s{1,3}(?:PASSWORD\s{1,3})?\\{0,16}["']([^"'\\\n]{2,200})/gi,
  },
  {
    sign: /[sS][eE][tT]\s{1,3}[pP][aA][sS][sS][wW][oO][rR][dD]/,
    pattern:
      /SET\s{1,3}PASSWORD(?:\s{1,3}FOR\s{1,3}\S{1,100})?\s{0,3}=\s{0,3}(?:PASSWORD\()?\\{0,16}["']([^"'\\\n]{2,200})/gi,
  },
  {
    sign: IDENTIFIED,
    pattern: new RegExp(`USER\\s{1,3}\\S{1,100}\\s{1,3}IDENTIFIED\\s{1,3}BY\\s{1,3}${BARE}`, 'gi'),
  },
  // What a command that reads a secret gets from a pipe, or behind `<<<`.
  {
    sign: READS_SECRET,
    pattern: new RegExp(
      `${BEGIN}(?:echo|printf)(?:[ ]-[neE]{1,3})?(?:[ ]\\\\{0,16}["']?%s(?:\\\\{1,17}n)?\\\\{0,16}["']?)?[ ](?:${LITERAL}\\\\{0,16}["']|${WORD})(?=[ ]{0,3}\\|[ ]{0,3}${READER})`,
      'g',
    ),
  },
  {
    sign: /<<</,
    pattern: new RegExp(`<<<(?<=${READER}[^|;&\\n<]{0,160}<<<)[ ]?\\$?(?:${LITERAL}|${WORD})`, 'g'),
  },
  // net user name password, net use share password /user:name
  {
    sign: /[nN][eE][tT]1?(?:\.[eE][xX][eE])? [uU][sS]/,
    pattern: new RegExp(
      `(?<!\\.)${BEGIN}net1?(?:\\.exe)?[ ]{1,3}user[ ]{1,3}(?![ /])\\S{1,100}[ ]{1,3}(?:${LITERAL}|${BARE}(?=[ ]{0,3}(?:[#/\\r\\n"'\`\\\\|;&)<>]|$))|${WORD}(?=[ ]/))`,
      'gi',
    ),
  },
  {
    sign: /[nN][eE][tT](?:\.[eE][xX][eE])? [uU][sS][eE] /,
    pattern: new RegExp(
      `(?<!\\.)${BEGIN}net(?:\\.exe)?[ ]{1,3}use[ ]{1,3}(?:\\S{1,200}[ ]{1,3}){1,2}?(?:/u(?:ser)?:\\S{1,100}[ ]{1,3}${BARE}|${WORD}(?=[ ]{1,3}/u(?:ser)?:))`,
      'gi',
    ),
  },
  // Without a name in English. What is behind the value may have no space before it.
  {
    sign: NAMED_ELSEWHERE,
    pattern: new RegExp(
      `${NAMED_ELSEWHERE.source}\\*{0,2}[ ]?(?:[:：=]|是|为|為|は|ist|es|est|é)\\*{0,2}[ ]{0,3}(?!${ELSEWHERE_NO_SECRET})(?:${LITERAL}|\`?(?=[!-~]{0,100}[\\d!#%^&*])([!#%&*+./0-9:=?@A-Z^_a-z~-]{4,100}))`,
      'g',
    ),
  },
  // echo name:password | chpasswd
  {
    sign: /chpasswd/,
    pattern:
      /(?<![\w.-])[\w.-]{1,40}:([^\s"'|:\\]{2,100})\\{0,16}["']?\s{1,3}\|\s{1,3}(?:sudo\s{1,3})?chpasswd/g,
  },
  // Oracle
  {
    sign: /jdbc:oracle/,
    pattern: /jdbc:oracle:[a-z]{2,10}:[\w$#]{1,60}\/([^\s"'`@\\]{2,120})@/g,
  },
  // PowerShell: the value is before or after the options, or comes from a pipe.
  {
    sign: SECURE_STRING,
    pattern: new RegExp(
      `ConvertTo-SecureString${TO_SECURE}(?:${GAP}|:[ \\t]?)\\(?(?:${LITERAL}|${BARE})`,
      'gi',
    ),
  },
  {
    sign: SECURE_STRING,
    pattern: new RegExp(
      `${LITERAL}\\\\{0,16}["']\\)?[ \\t]{0,4}\\|[ \\t]{0,4}ConvertTo-SecureString`,
      'gi',
    ),
  },
  // Refresh tokens of Google.
  { sign: /1\/\/0/, pattern: /(?<![\w/])1\/\/0([\w-]{30,200})/g },
]

// Most texts have none. One pass finds that out.
const ANY_SIGN = new RegExp([...new Set(LINES.map(({ sign }) => sign.source))].join('|'))

export function findInLines(text: string, add: AddSecret): void {
  if (!ANY_SIGN.test(text)) return
  for (const { sign, pattern } of LINES) {
    if (!sign.test(text)) continue
    for (const match of text.matchAll(pattern)) {
      const value = match.slice(1).find((group) => group !== undefined) ?? ''
      if (!isPassword(value)) continue
      const start = match.index + match[0].lastIndexOf(value)
      add(start, start + value.length)
    }
  }
}
