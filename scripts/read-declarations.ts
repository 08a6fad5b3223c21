/**
 * What the built declarations of core say of each public name: its kind, its doc comment, its text.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Comment, parseSync, type Span, type Statement } from 'oxc-parser'

const folder = fileURLToPath(new URL('../packages/core/', import.meta.url))

export interface Declaration {
  readonly name: string
  readonly kind: 'value' | 'type'
  /** The doc comment as prose; empty where there is none. */
  readonly doc: string
  /** Without `export` and without its own doc comment. */
  readonly text: string
  /** Of an interface. */
  readonly members: readonly Member[]
  readonly parents: readonly string[]
  /** The file that has it, for looking up what it extends. */
  readonly file: string
}

export interface Member {
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
  readonly doc: string
}

/** Sub-path and file of each entry of the package, `.` first. */
export function listEntries(): (readonly [subPath: string, file: string])[] {
  const { exports }: { exports: Record<string, { types: string }> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  return Object.entries(exports).map(
    ([subPath, { types }]) => [subPath, resolve(folder, types)] as const,
  )
}

/** What the source of an entry says of it as a whole, with its example; empty if it says nothing. */
export function readEntryDoc(file: string): string {
  const source = file.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')
  const [comment] = /^\/\*\*[\s\S]*?\*\//.exec(readFileSync(source, 'utf8')) ?? []
  return comment === undefined ? '' : readCommentText(comment.slice(2, -2))
}

/**
 * All that a file exports, in its order, followed to where it is declared. A name whose export is
 * deprecated is read at its other place.
 */
export function readExports(file: string): Declaration[] {
  const module = readModule(file)
  return module.statements.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    if (statement.declaration) return readDeclaration(file, statement)
    if (!statement.source) return []
    const source = resolve(dirname(file), statement.source.value.replace(/\.[jt]s$/, '.d.ts'))
    const current = statement.specifiers.filter(
      (specifier) => !readDoc(module, specifier).startsWith('@deprecated'),
    )
    return current.map(({ exported, local }) => {
      const name = nameOf(local)
      const found = findDeclaration(source, name)
      if (!found) throw new Error(`Reading "${file}": "${name}" is not declared in "${source}".`)
      return { ...found, name: nameOf(exported) }
    })
  })
}

/** A declaration by its name, in this file or where the file has it from. */
export function findDeclaration(file: string, name: string): Declaration | undefined {
  const own = readExports(file).find((declaration) => declaration.name === name)
  if (own) return own
  for (const statement of readModule(file).statements) {
    if (statement.type !== 'ImportDeclaration') continue
    if (!statement.specifiers.some(({ local }) => local.name === name)) continue
    return findDeclaration(
      resolve(dirname(file), statement.source.value.replace(/\.[jt]s$/, '.d.ts')),
      name,
    )
  }
  return undefined
}

/** Members of an interface and of all it extends, the nearest first. */
export function listMembers({ members, parents, file }: Declaration): Member[] {
  const inherited = parents.flatMap((parent) => {
    const found = findDeclaration(file, parent)
    return found ? listMembers(found) : []
  })
  const own = new Set(members.map(({ name }) => name))
  return [...members, ...inherited.filter(({ name }) => !own.has(name))]
}

interface Module {
  readonly source: string
  readonly statements: readonly Statement[]
  readonly comments: readonly Comment[]
}

const modules = new Map<string, Module>()

function readModule(file: string): Module {
  const known = modules.get(file)
  if (known) return known
  const source = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, source, { lang: 'dts' })
  const module = { source, statements: program.body as Statement[], comments }
  modules.set(file, module)
  return module
}

type ExportStatement = Extract<Statement, { type: 'ExportNamedDeclaration' }>

function readDeclaration(file: string, statement: ExportStatement): Declaration[] {
  const { declaration } = statement
  if (!declaration) return []
  const module = readModule(file)
  const doc = readDoc(module, statement)
  const text = module.source
    .slice(statement.start, statement.end)
    .replace(/^export (?:declare )?/, '')
  const common = { doc, text, file, members: [], parents: [] }
  switch (declaration.type) {
    case 'TSInterfaceDeclaration':
      return [
        {
          ...common,
          name: declaration.id.name,
          kind: 'type',
          members: declaration.body.body.flatMap((member) => readMember(module, member)),
          parents: declaration.extends.map(({ expression }) =>
            module.source.slice(expression.start, expression.end),
          ),
        },
      ]
    case 'TSTypeAliasDeclaration':
      return [{ ...common, name: declaration.id.name, kind: 'type' }]
    case 'VariableDeclaration':
      return declaration.declarations.map(({ id }) => {
        const [name = '', type = ''] = module.source.slice(id.start, id.end).split(': ')
        return readChecked(file, type) ?? { ...common, name, kind: 'value' }
      })
    default:
      return 'id' in declaration && declaration.id && 'name' in declaration.id
        ? [{ ...common, name: String(declaration.id.name), kind: 'value' }]
        : []
  }
}

/** What a function says that checks its arguments for callers outside: `typeof module.name`. */
function readChecked(file: string, type: string): Declaration | undefined {
  const [, space, name = ''] = /^typeof (\w+)\.(\w+)$/.exec(type) ?? []
  const statement = readModule(file).statements.find(
    (found) => found.type === 'ImportDeclaration' && found.specifiers[0]?.local.name === space,
  )
  if (statement?.type !== 'ImportDeclaration') return undefined
  const source = resolve(dirname(file), statement.source.value.replace(/\.[jt]s$/, '.d.ts'))
  return findDeclaration(source, name)
}

function readMember(module: Module, member: { type: string } & Span): Member[] {
  const text = module.source.slice(member.start, member.end).replace(/;$/, '')
  const found = /^(?:readonly )?(\w+)(\??)(?:: )?([\s\S]*)$/.exec(text)
  if (member.type !== 'TSPropertySignature' && member.type !== 'TSMethodSignature') return []
  const [, name = '', mark = '', type = ''] = found ?? []
  return [
    {
      name,
      type: type.replace(/\s+/g, ' '),
      isOptional: mark === '?',
      doc: readDoc(module, member),
    },
  ]
}

/** The comment that ends right before this. */
function readDoc({ source, comments }: Module, { start }: Span): string {
  const comment = comments.findLast(({ end }) => end <= start)
  if (comment?.type !== 'Block' || source.slice(comment.end, start).trim() !== '') return ''
  if (!comment.value.startsWith('*')) return ''
  return readCommentText(comment.value)
}

const readCommentText = (text: string): string =>
  text
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()

const nameOf = (node: { readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value)
