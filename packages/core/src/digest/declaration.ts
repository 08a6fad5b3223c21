/** What a line of a file is: it declares a name for others, or is a step of what is done. */

const MODIFIERS =
  '(?:(?:export|default|pub(?:\\([\\w:]{1,40}\\))?|public|private|protected|internal|abstract|final|static|async|declare|override|unsafe|readonly|open|suspend) ){0,5}'
const KEYWORDS =
  'func|function\\*?|def|class|interface|type|struct|enum|fn|fun|trait|impl|mod|module|namespace|record|protocol|extension|object'
const DECLARES = new RegExp(`^${MODIFIERS}(?:${KEYWORDS})\\s`)
const VARIABLE =
  /^(?:(?:export|pub|static|public|private|protected) .{0,60})?\b(?:const|var|let|val)\b/
// `async addAll<T>(`, `get stats() {`, `#add(value: number): void {`
const METHOD =
  /^(?:(?:public|private|protected|internal|abstract|final|static|async|override|readonly|get|set) ){1,4}[\w#$<>[\], ]{1,80}[({:]|^(?!(?:if|for|while|switch|catch|with|match|return|await|else|do|try|new|throw)\b)[#\w$]{2,60}(?:<[^<>]{1,60}>)?\([^=;]{0,120}\)(?:: [^=;{]{1,60})? \{$/
// `test('an empty queue …', () => {`, `t.Run("empty", func(t *testing.T) {`
const TEST = /^(?:test|it|describe|suite|context|bench|t\.Run)(?:\.\w{1,20}){0,3}\(["'`]/
// `timeout?: number`, `Name string \`json:"name"\``
const FIELD = /^(?:readonly )?[\w$]{1,60}\?: \S|^[A-Z]\w{0,60} {1,20}[\w*.[\]{}]{1,60} {1,20}`[a-z]/

/** Whether a line, with its indent, declares a name beyond a few lines, or is the title of a test. */
export function isDeclaration(raw: string): boolean {
  const line = raw.trim()
  if ([DECLARES, METHOD, TEST, FIELD].some((one) => one.test(line))) return true
  const isLocal = /^\s+(?:const|var|let|val)\b/.test(raw)
  return !isLocal && VARIABLE.test(line)
}

// `const args = resolveArgs(argsDef);`
const ASSIGNMENT = /^(?:const |let |var |val )?[\w.#$[\]{}, ]{1,80} :?= /
// `assert.deepEqual(events, ['a']);`
const CALL = /^(?:(?:await|return|yield|go|defer) )?[\w.#$?]{1,80}\(.{0,200}\)?[;,]?$/
// `interval: 60 * 1000,`
const ENTRY = /^["'`]?[\w-]{1,40}["'`]?: \S.{0,80},$/

/** Whether a line assigns, calls or sets something. */
export const isStatement = (line: string): boolean =>
  [ASSIGNMENT, CALL, ENTRY].some((one) => one.test(line))

// `const timeoutMs = 30_000`, `gracePeriod = 10 * time.Minute`, `"port": 8443,`, not `count = 0`
const NUMBER =
  /^(?:[a-z]{1,10} ){0,4}["'`]?[A-Za-z_][\w-]{3,60}["'`]?(?:: ?[\w<>.]{1,40})?\s{0,8}[=:]\s{0,8}-?(?![01]\b(?!\s?[*/<]))\d[\w.]{0,20}(?:\s?[*/<]{1,2}\s?[\w.()]{1,40}){0,3}[;,]?(?:\s{0,8}(?:\/\/|#).{0,100})?$/
// `func TestLimit(t *testing.T) {`, `def test_limit(self):`
const NAMED_TEST = /^(?:func Test|(?:async )?def test_|fn test_)/

/** Whether a line gives a name to a number that says something, such as a limit, or to a test. */
export const namesLimitOrTest = (line: string): boolean =>
  [NUMBER, NAMED_TEST, TEST].some((one) => one.test(line))
