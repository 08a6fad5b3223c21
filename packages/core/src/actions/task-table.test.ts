import { describe, expect, test } from 'vitest'
import { agent, person } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createLedger, findTasks, renderLedger } from '../facts/ledger.ts'

let calls = 0
const run = (query: string, answer = '1 row(s) updated.', isError = false): Message[] => {
  const callId = `call_${calls++}`
  const output = [{ type: 'text', text: answer }] as const
  return [
    {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId, name: 'sql', input: { description: 'Todos', query } }],
    },
    {
      role: 'tool',
      origin: 'environment',
      parts: [{ type: 'tool-result', callId, output, isError }],
    },
  ]
}
const shown = (...messages: readonly Message[][]) =>
  findTasks(messages.flat()).map(({ status, text }) => `${status}: ${text}`)

const plan = run(
  `INSERT INTO todos (id, title, description, status) VALUES
  ('parse', 'Parse it', 'Don''t guess; read (all) of it', 'in_progress'), -- the first
  ('test', 'Test it', 'Then, test', 'pending');
INSERT INTO todo_deps (todo_id, depends_on) VALUES ('test', 'parse');`,
  'Executed 2 statement(s):\n\n1. INSERT\n   2 row(s) inserted. Last inserted row ID: 2.',
)

describe('tasks in a table', () => {
  test('are its rows', () => {
    expect(shown(plan)).toEqual(['active: Parse it', 'open: Test it'])
    const bare = run("insert or replace into todos(title, id) values ('It''s one', 'a')")
    expect(shown(bare)).toEqual(["open: It's one"])
  })

  test.each([
    ["UPDATE todos SET status = 'done' WHERE id = 'parse'", ['open: Test it', 'done: Parse it']],
    [
      "update todos set updated_at = datetime('now'), status = 'done' where id in ('parse', 'test')",
      ['done: Test it', 'done: Parse it'],
    ],
    [
      "UPDATE todos SET status = 'done' WHERE id = 'parse'; UPDATE todos SET status = 'in_progress' WHERE id = 'test';",
      ['active: Test it', 'done: Parse it'],
    ],
    [
      "UPDATE todos SET status = CASE id WHEN 'parse' THEN 'done' WHEN 'test' THEN 'in_progress' ELSE status END WHERE id IN ('parse', 'test')",
      ['active: Test it', 'done: Parse it'],
    ],
    ["UPDATE todos SET status = 'done'", ['done: Test it', 'done: Parse it']],
    [
      'UPDATE "todos" SET `status` = "done" WHERE "id" = "parse"',
      ['open: Test it', 'done: Parse it'],
    ],
    [
      "UPDATE todos SET status = 'done' WHERE status = 'in_progress' AND id <> 'test'",
      ['open: Test it', 'done: Parse it'],
    ],
    ["UPDATE todos SET title = 'Read it' WHERE id = 'parse'", ['active: Read it', 'open: Test it']],
    ["DELETE FROM todos WHERE status != 'done' AND id NOT IN ('test')", ['open: Test it']],
    ['DELETE FROM todos', []],
    [
      "INSERT OR IGNORE INTO todos (id, title) VALUES ('parse', 'Other'), ('c', 'C')",
      ['active: Parse it', 'open: Test it', 'open: C'],
    ],
    [
      "INSERT INTO todos (id, title, status) VALUES ('parse', 'Other', 'done') ON CONFLICT(id) DO UPDATE SET status = excluded.status, updated_at = CURRENT_TIMESTAMP",
      ['open: Test it', 'done: Parse it'],
    ],
  ])('%s is understood', (query, expected) => {
    expect(shown(plan, run(query))).toEqual(expected)
  })

  test('a change that is not understood leaves no state that may be wrong', () => {
    const done = run("UPDATE todos SET status = 'done' WHERE id = 'test'")
    for (const query of [
      "UPDATE todos SET status = 'done' WHERE id LIKE 'p%'",
      "UPDATE todos SET status = 'done' WHERE id = 'parse' OR 1",
      "UPDATE todos SET status = 'done' WHERE status = 'blocked'",
    ])
      expect(shown(plan, done, run(query))).toEqual([])
    const maybe = run("DELETE FROM todos WHERE NOT id = 'parse'")
    const open = run("UPDATE todos SET status = 'pending'")
    expect(shown(plan, done, maybe, open)).toEqual(['done: Test it'])
    for (const query of [
      "UPDATE todos SET status = (SELECT status FROM todos WHERE id = 'test') WHERE id = 'parse'",
      "UPDATE todos SET id = 'other' WHERE id = 'parse'",
      "UPDATE todos SET status = 'skipped' WHERE id = 'parse'",
      "INSERT INTO todos (id, title) VALUES ('parse', 'A') ON CONFLICT(id) DO UPDATE SET status = 'done' WHERE todos.status = 'pending'",
    ])
      expect(shown(plan, done, run(query))).toEqual(['done: Test it'])
  })

  test('a long query takes no time that is out of proportion', { tags: 'slow' }, () => {
    const list = (item: (place: number) => string, between = ', ') =>
      Array.from({ length: 8000 }, (_, place) => item(place)).join(between)
    const others = list(() => "id <> 'x'", ' AND ')
    const queries = [
      `INSERT INTO todos (${list((place) => `c${place}`)}) VALUES ${list(() => '(1)')}`,
      `INSERT INTO todos (id, title) VALUES ${list((place) => `('${place}', 't')`)} ON CONFLICT(id) DO UPDATE SET ${list((place) => `c${place} = 1`)}`,
      `UPDATE todos SET status = CASE id ${list(() => "WHEN 'a' THEN 'done'", ' ')} ELSE status END WHERE ${others}`,
      list(() => "UPDATE todos SET status = 'done'", ';'),
    ]
    const start = performance.now()
    for (const query of queries) shown(plan, run(query))
    expect(performance.now() - start).toBeLessThan(8_000)
  })

  test('that are open stay, however many are done after them', () => {
    const rows = Array.from({ length: 450 }, (_, place) => `('id${place}', 'Row ${place}', 'done')`)
    const many = run(`INSERT INTO todos (id, title, status) VALUES ${rows.join(', ')}`)
    expect(shown(plan, many).slice(0, 3)).toEqual([
      'active: Parse it',
      'open: Test it',
      'done: Row 449',
    ])
  })

  test('a finished task that is deleted was finished', () => {
    const done = run("UPDATE todos SET status = 'done' WHERE id = 'test'")
    expect(shown(plan, done, run('DROP TABLE todos'))).toEqual(['done: Test it'])
    const again = run("INSERT OR IGNORE INTO todos (id, title) VALUES ('test', 'Test more')")
    expect(shown(plan, done, run('DELETE FROM todos'), again)).toEqual([
      'open: Test more',
      'done: Test it',
    ])
  })

  test('what changes no task changes none', () => {
    for (const query of [
      "UPDATE todos SET description = 'status = ''done''' WHERE id = 'parse'",
      "UPDATE todo_deps SET status = 'done' WHERE todo_id = 'parse'",
      "INSERT INTO notes (id, title) VALUES ('n', 'UPDATE todos SET status = ''done''')",
      "INSERT INTO todos SELECT id, title FROM old; -- UPDATE todos SET status = 'done'",
      "BEGIN; UPDATE todos SET status = 'done'; ROLLBACK",
      "UPDATE todos SET status = 'done' WHERE id = 'parse",
      "UPDATE todos SET status = 'done' WHERE id = 'unknown'",
    ])
      expect(shown(plan, run(query))).toEqual(['active: Parse it', 'open: Test it'])
    const failed = "UPDATE todos SET status = 'done'"
    expect(shown(plan, run(failed, 'Error: database is locked'))).toHaveLength(2)
    expect(shown(plan, run(failed, 'database is locked', true))[0]).toBe('active: Parse it')
    const words = [person("UPDATE todos SET status = 'done'"), agent('UPDATE todos')]
    expect(shown(plan, words)[0]).toBe('active: Parse it')
  })

  test('rows of an answer show their states', () => {
    const rows =
      '3 row(s) returned:\n\n| id | title | status |\n| --- | --- | --- |\n| test | Test | it | done |\n| parse | Parse … | done |\n| new | A new one | in_progress |'
    expect(shown(plan, run('SELECT id, title, status FROM todos ORDER BY id', rows))).toEqual([
      'open: Test it',
      'active: A new one',
      'done: Parse it',
    ])
    const later =
      'Executed 2 statement(s):\n\n1. UPDATE\n   1 row(s) updated.\n\n2. SELECT\n   1 row(s) returned:\n   \n   | id | status |\n   | --- | --- |\n   | parse | done |'
    const both = "UPDATE todos SET status = 'done' WHERE id LIKE 'p%'; SELECT id, status FROM todos"
    expect(shown(plan, run(both, later))).toEqual(['done: Parse it'])
    expect(shown(plan, run('SELECT t.id, t.status FROM todos t', later))).toEqual([
      'open: Test it',
      'done: Parse it',
    ])
  })

  test('rows of other tables, or under other names, show nothing', () => {
    const rows = '| id | status |\n| --- | --- |\n| parse | done |'
    for (const query of [
      'SELECT id, status FROM runs',
      'SELECT t.id, dep.status FROM todos t JOIN todos dep ON 1',
      'SELECT t.id, d.status FROM todos t, runs d',
      'SELECT depends_on AS id, status FROM todos',
      'SELECT id, max(status) FROM todos GROUP BY id',
      "SELECT id, status FROM todos; UPDATE todos SET description = ''",
      'SELECT id, status FROM runs; SELECT id, status FROM todos',
    ])
      expect(shown(plan, run(query, rows))[0]).toBe('active: Parse it')
  })

  test('an earlier ledger is where it goes on, by long ids too', () => {
    const id = 'caption-designer-orientation-asset-cleanup-of-all'
    const before = run(`INSERT INTO todos (id, title) VALUES ('${id}', 'Clean up')`)
    const ledger = renderLedger(createLedger({ messages: before }), {
      limitTokens: Infinity,
      countTokens: (text) => text.length,
    })
    const done = run(`UPDATE todos SET status = 'done' WHERE id = '${id}'`)
    expect(shown([createSummaryMessage('', ledger)], done)).toEqual(['done: Clean up'])
  })
})
