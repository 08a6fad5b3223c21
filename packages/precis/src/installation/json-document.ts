/** JSON with comments, the format of agents' settings, and the position of each member. */
import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

export interface JsonDocument {
  readonly text: string
  /** Undefined for a text that contains only white space and comments. */
  readonly root: Node | undefined
}

const BYTE_ORDER_MARK = '\u{feff}'
// The parser recurses once per level.
const DEEPEST = 200

/** If the text cannot be parsed, returns the problem for the user. */
export function parseJsonDocument(text: string): JsonDocument | { readonly problem: string } {
  if (isTooDeep(text)) return { problem: `it is nested deeper than ${DEEPEST} levels` }
  const errors: ParseError[] = []
  // A space of the same length keeps the offsets.
  const parsed = text.startsWith(BYTE_ORDER_MARK) ? ` ${text.slice(1)}` : text
  const root = parseTree(parsed, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [first] = errors
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length
    return { problem: `line ${line} is no JSON (${printParseErrorCode(first.error)})` }
  }
  if (root && root.type !== 'object')
    return { problem: `it holds ${describeNode(root)} where an object should be` }
  return { text, root }
}

/** The last member of that name counts, as in the parsers of agents. */
export function findMember(object: Node, name: string): Node | undefined {
  return object.type === 'object'
    ? object.children?.findLast((member) => memberName(member) === name)
    : undefined
}

export function memberValue(member: Node): Node | undefined {
  return member.children?.[1]
}

function memberName(member: Node): unknown {
  return member.children?.[0]?.value
}

export function findValue(root: Node | undefined, names: readonly string[]): Node | undefined {
  let node = root
  for (const name of names) {
    const member = node && findMember(node, name)
    node = member && memberValue(member)
  }
  return node
}

function describeNode({ type }: Node): string {
  return type === 'array'
    ? 'a list'
    : type === 'object'
      ? 'an object'
      : type === 'null'
        ? 'null'
        : `a ${type}`
}

/** With the parser's own scanner, because strings and comments may contain brackets too. */
function isTooDeep(text: string): boolean {
  const scanner = createScanner(text, true)
  let depth = 0
  do {
    scanner.scan()
    const first = text[scanner.getTokenOffset()]
    if (first === '{' || first === '[') depth++
    else if (first === '}' || first === ']') depth--
    if (depth > DEEPEST) return true
  } while (scanner.getTokenLength() > 0)
  return false
}
