/**
 * Tasks that an agent keeps in a table of a database: what its statements change, and what their
 * answer shows. After a change that is not understood, the status of a task is unknown.
 */
import type { TaskTable } from '../conversation/host.ts'
import { readStatus, type TaskUpdate } from './plan-tasks.ts'
import { readLiteral, splitAt, splitGroup, splitQuery, type Words } from './sql-words.ts'

interface TableQuery {
  readonly table: TaskTable
  readonly literals: readonly string[]
}

/** In order. Empty if nothing in the query is about the table. */
export function readTaskTable(query: string, table: TaskTable): TaskUpdate[] {
  const { statements: quoted, literals } = splitQuery(query)
  const names = new Set(['id', 'status', table.name, table.text])
  const statements = quoted.map((words) =>
    words.map((word) => {
      if (!word.startsWith('"')) return word
      const name = literals[Number(word.slice(1))]?.toLowerCase() ?? ''
      return names.has(name) ? name : `'${word.slice(1)}`
    }),
  )
  const starts = statements.map(([start]) => start)
  if (starts.includes('rollback')) return []
  const selects = starts.filter((start) => start === 'select' || start === 'with').length
  const given = { table, literals }
  const updates = statements.flatMap((words, place): TaskUpdate[] => {
    switch (starts[place]) {
      case 'insert':
      case 'replace':
        return readInsert(words, given)
      case 'update':
        return readUpdate(words, given)
      case 'delete':
      case 'drop':
        return readRemoval(words, given)
      case 'select': {
        // The rows of two answers are not told apart, and a later statement changes what they show.
        const isAnswer = selects === 1 && place === statements.length - 1
        const readAnswer = (answer: string) => readRows(answer, table)
        return isAnswer && showsTable(words, given) ? [{ readAnswer }] : []
      }
      default:
        return []
    }
  })
  const wide = updates.filter(({ id, which }) => which && id === undefined)
  return wide.length > MOST_WIDE ? [{ ...UNKNOWN, which: () => true }] : updates
}

// Each is compared with every task.
const MOST_WIDE = 40
const MOST_TESTS = 20

const toStatus = (words: Words, given: TableQuery): NonNullable<TaskUpdate['status']> =>
  readStatus(readLiteral(words, given.literals) ?? '') ?? 'unknown'

/** `t.status` is `status`. */
const nameColumn = (words: Words): string => words.join(' ').replace(/^\w+\./, '')

type Cells = ReadonlyMap<string, Words>

//   insert or ignore into todos ( id , title ) values ( '0 , '1 ) , ( '2 , '3 ) on conflict …
function readInsert(words: Words, given: TableQuery): TaskUpdate[] {
  const into = words.indexOf('into')
  if (words[into + 1] !== given.table.name) return []
  const [head = [], tail = []] = splitAt(words.slice(into + 2), 'values')
  const [rows = [], conflict = []] = splitAt(tail, 'on')
  const columns = splitGroup(head).map(nameColumn)
  const isNew = words.slice(0, into).includes('ignore') || conflict.length > 0
  const [setting = [], where] = splitAt(splitAt(conflict, 'set')[1] ?? [], 'where')
  const set = splitSet(setting)
  return splitAt(rows, ',').flatMap((row): TaskUpdate[] => {
    const values = splitGroup(row)
    if (values.length !== columns.length) return []
    const cells = new Map(columns.map((column, place) => [column, values[place] ?? []]))
    const id = readLiteral(cells.get('id'), given.literals)
    const text = readLiteral(cells.get(given.table.text), given.literals)
    if (id === undefined || text === undefined) return []
    const stated = cells.get('status')
    const status = stated ? toStatus(stated, given) : 'open'
    const change = where ? UNKNOWN : readSet(set, given, cells)
    const known = change ? chooseTasks(change, [testId(id)]) : []
    return [...known, { id, text, status, isNew }]
  })
}

const UNKNOWN = { status: 'unknown' } as const

/** The value of each column. */
const splitSet = (words: Words): Cells =>
  new Map(
    splitAt(words, ',').map(([column = '', , ...value]) => [nameColumn([column]), value] as const),
  )

/** Undefined if it sets nothing of a task. `excluded.status` is the cell of the row. */
function readSet(set: Cells, given: TableQuery, row?: Cells): TaskUpdate | undefined {
  const [id, status, title] = ['id', 'status', given.table.text].map((name) => {
    const [word = '', ...others] = set.get(name) ?? []
    const [, excluded] = /^excluded\.(\w+)$/.exec(others.length > 0 ? '' : word) ?? []
    return (excluded !== undefined && row?.get(excluded)) || set.get(name)
  })
  if (!id && !status && !title) return undefined
  const text = title && readLiteral(title, given.literals)
  if (id || (title && text === undefined)) return UNKNOWN
  return status ? { text, status: toStatus(status, given) } : { text }
}

//   update todos set status = '0 , updated_at = current_timestamp where id in ( '1 , '2 )
function readUpdate(words: Words, given: TableQuery): TaskUpdate[] {
  const [head = [], tail = []] = splitAt(words, 'set')
  const [set = [], where] = splitAt(tail, 'where')
  const change = head.includes(given.table.name) ? readSet(splitSet(set), given) : undefined
  if (!change) return []
  const tests = readWhere(where, given)
  const cases = tests && readCases(set, given)
  if (!cases) return chooseTasks(change, tests)
  return cases.flatMap(([id, status]) => chooseTasks({ status }, [...tests, testId(id)]))
}

//   status = case id when '0 then '1 when '2 then '3 else status end
function readCases(set: Words, given: TableQuery) {
  const status = splitAt(set, ',').find(([column]) => column === 'status') ?? []
  if (status.slice(2, 4).join(' ') !== 'case id' || status.at(-1) !== 'end') return undefined
  const [cases = [], otherwise = []] = splitAt(status.slice(4, -1), 'else')
  const pairs = splitAt(cases, 'when').slice(1)
  const read = pairs.flatMap((pair) => {
    const [when, then = []] = splitAt(pair, 'then')
    const id = readLiteral(when, given.literals)
    return id === undefined ? [] : [[id, toStatus(then, given)] as const]
  })
  return read.length === pairs.length && otherwise.join() === 'status' ? read : undefined
}

function readRemoval(words: Words, given: TableQuery): TaskUpdate[] {
  const [head = [], where] = splitAt(words, 'where')
  const isTable = head[1] === 'from' || head[1] === 'table'
  if (!isTable || head.at(-1) !== given.table.name) return []
  return chooseTasks({ isDeleted: true }, readWhere(where, given))
}

/** A column that has, or has not, one of the values. */
interface Test {
  readonly column: 'id' | 'status'
  readonly values: ReadonlySet<string>
  readonly isNot: boolean
}

const testId = (id: string): Test => ({ column: 'id', values: new Set([id]), isNot: false })

/** What must all be true of a task. Undefined if it is not understood. */
function readWhere(where: Words | undefined, given: TableQuery): Test[] | undefined {
  const tests = where ? splitAt(where, 'and').map((each) => readTest(each, given)) : []
  return tests.length <= MOST_TESTS && tests.every((test) => test !== undefined) ? tests : undefined
}

function readTest([first = '', ...others]: Words, given: TableQuery): Test | undefined {
  const column = nameColumn([first])
  if (column !== 'id' && column !== 'status') return undefined
  const isNot = /^(?:not|<>|!=)$/.test(others[0] ?? '')
  const [operator = '', ...operand] = others[0] === 'not' ? others.slice(1) : others
  const isList = operator === 'in'
  if (!isList && (others[0] === 'not' || !/^(?:=|<>|!=)$/.test(operator))) return undefined
  const found = isList ? splitGroup(operand) : [operand]
  const values = found.flatMap((each) => {
    const value = readLiteral(each, given.literals)
    // Open is pending or blocked.
    if (column === 'id' || value === 'blocked') return column === 'id' ? (value ?? []) : []
    return readStatus(value ?? '') ?? []
  })
  const isUnderstood = values.length > 0 && values.length === found.length
  return isUnderstood ? { column, values: new Set(values), isNot } : undefined
}

/** The change for each task that passes the tests. If they are not understood, each may change. */
function chooseTasks(change: TaskUpdate, tests: readonly Test[] | undefined): TaskUpdate[] {
  if (!tests) return [{ ...(change.isDeleted ? change : UNKNOWN), which: () => true }]
  const which: TaskUpdate['which'] = ({ id = '', status = '' }) =>
    tests.every(({ column, values, isNot }) => {
      if (column === 'id') return values.has(id) !== isNot
      return status !== UNKNOWN.status && values.has(status) !== isNot
    })
  const ids = tests.findLast(({ column, isNot }) => column === 'id' && !isNot)?.values
  return ids ? [...ids].map((id) => ({ ...change, id, which })) : [{ ...change, which }]
}

const OTHER_ROWS = new Set(['join', 'union', 'intersect', 'except', 'group', 'as'])

/** Whether a query shows rows of this table alone, under the names of their columns. */
function showsTable(words: Words, { table }: TableQuery): boolean {
  const [list = [], from = []] = splitAt(words.slice(1), 'from')
  const [tables = []] = splitAt(splitAt(from, 'where')[0] ?? [], 'order')
  const isPlain = splitAt(list, ',').every((item) => item.length === 1)
  const isAlone = tables[0] === table.name && !tables.includes(',')
  return isPlain && isAlone && !from.some((word) => OTHER_ROWS.has(word))
}

//   | id | status |
//   | --- | --- |
//   | parse-it | done |
function readRows(answer: string, { text }: TaskTable): TaskUpdate[] {
  const lines = answer.split('\n').flatMap((line) => {
    const row = line.trim()
    return row.startsWith('| ') && row.endsWith(' |') ? [row.slice(2, -2).split(' | ')] : []
  })
  const [head = [], , ...rows] = lines
  return rows.flatMap((row): TaskUpdate[] => {
    const [id, title, stated] = ['id', text, 'status'].map((name) => row[head.indexOf(name)])
    if (row.length !== head.length || id === undefined || stated === undefined) return []
    const status = readStatus(stated) ?? 'unknown'
    // The text of a row may be shortened.
    return [
      { id, status, which: () => true },
      { id, text: title, status, isNew: true },
    ]
  })
}
