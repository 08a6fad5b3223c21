/** The sources of the product as syntax trees: what the repository tests look at. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

export const root = fileURLToPath(new URL('..', import.meta.url))

export interface Source {
  /** Path from the repository root. */
  readonly path: string
  readonly text: string
  /** The same with blanks for comments. */
  readonly code: string
  /**
   * What it imports, types included: paths from the repository root, or package names as written.
   */
  readonly imports: readonly string[]
  readonly exports: readonly string[]
  readonly tree: object
}

export function readSources(folder: string): Source[] {
  return readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        name.endsWith('.ts') &&
        !name.endsWith('.test.ts') &&
        !name.endsWith('.suite.ts') &&
        !name.endsWith('.d.ts'),
    )
    .map((name) => readSource(resolve(root, folder, name)))
    .sort((a, b) => a.path.localeCompare(b.path))
}

function readSource(file: string): Source {
  const text = readFileSync(file, 'utf8')
  const { program, module, comments } = parseSync(file, text)
  const specifiers = [
    ...module.staticImports.map((statement) => statement.moduleRequest.value),
    ...module.staticExports.flatMap((statement) =>
      statement.entries.flatMap((entry) => entry.moduleRequest?.value ?? []),
    ),
    ...findAll(program, 'ImportExpression').map((node) => readProperty(node, 'source', 'value')),
  ]
  return {
    path: relative(root, file),
    text,
    code: comments.reduce(
      (code, { start, end }) => code.slice(0, start) + ' '.repeat(end - start) + code.slice(end),
      text,
    ),
    imports: [...new Set(specifiers.map((specifier) => resolveImport(file, String(specifier))))],
    exports: module.staticExports.flatMap((statement) =>
      statement.entries.flatMap((entry) => entry.exportName.name ?? []),
    ),
    tree: program,
  }
}

function resolveImport(file: string, specifier: string): string {
  return specifier.startsWith('.') ? relative(root, resolve(dirname(file), specifier)) : specifier
}

/** Every node of one type, at any depth. */
export function findAll(tree: object, type: string): object[] {
  const found: object[] = []
  const waiting: unknown[] = [tree]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    if ('type' in node && node.type === type) found.push(node)
    waiting.push(...Object.values(node))
  }
  return found
}

/** The value under a path of keys. */
export function readProperty(node: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined,
    node,
  )
}
