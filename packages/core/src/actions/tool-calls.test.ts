import { describe, expect, test } from 'vitest'
import { readToolCall, readToolCalls } from './tool-calls.ts'

const read = (name: string, input: unknown) =>
  readToolCall({ type: 'tool-call', callId: 'c', name, input }, '/work/app')

describe('readToolCall', () => {
  test('an Edit of Claude Code is a write with its old and new lines', () => {
    const action = read('Edit', {
      file_path: '/work/app/src/a.ts',
      old_string: 'one\ntwo',
      new_string: 'three',
    })
    expect(action).toMatchObject({ kind: 'write', paths: ['src/a.ts'] })
    expect(action.changes).toEqual([
      { path: 'src/a.ts', type: 'edited', removed: ['one', 'two'], added: ['three'] },
    ])
  })

  test('a path of Windows is seen from the directory as one of Unix is', () => {
    for (const directory of ['C:\\work\\app', 'C:\\work\\app\\', 'C:/work/app']) {
      const input = { file_path: 'C:\\work\\app\\src\\a.ts' }
      const call = { type: 'tool-call', callId: 'c', name: 'Read', input } as const
      expect(readToolCall(call, directory).paths).toEqual(['src/a.ts'])
    }
  })

  test('a Write creates', () => {
    expect(read('Write', { file_path: '/work/app/b.ts', content: 'x' }).changes).toMatchObject([
      { type: 'created' },
    ])
  })

  test('every edit of a MultiEdit is read', () => {
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: 'd' },
    ]
    expect(read('MultiEdit', { file_path: 'a.ts', edits }).changes).toHaveLength(2)
  })

  test('a Read is a read, a Grep a search, a Task delegates', () => {
    expect(read('Read', { file_path: '/work/app/a.ts', limit: 3 })).toMatchObject({
      kind: 'read',
      paths: ['a.ts'],
    })
    expect(read('Grep', { pattern: 'x', path: '/work/app/src' })).toMatchObject({
      kind: 'search',
      purpose: 'x',
    })
    expect(read('Task', { description: 'look', prompt: 'look at it' })).toMatchObject({
      kind: 'delegate',
    })
  })

  const file = '/work/app/a.ts'
  const change = { path: 'a.ts', type: 'edited', removed: ['a'], added: ['b'] }
  const edited = { kind: 'write', paths: ['a.ts'], changes: [change] }
  const created = { kind: 'write', changes: [{ path: 'a.ts', type: 'created' }] }
  const shown = { kind: 'read', paths: ['a.ts'] }
  const tested = { kind: 'command', command: 'npm test' }
  const found = { kind: 'search', purpose: 'x' }
  const searched = { kind: 'search', paths: ['src'] }
  const pair = { filePath: file, oldString: 'a', newString: 'b' }
  const replacements = [pair, { ...pair, filePath: '/work/app/b.ts' }, null, {}]
  const todoList = [
    { id: 1, title: 'look', status: 'completed' },
    { id: 2, title: 'change', status: 'in-progress' },
    { id: 3, title: 'test', status: 'not-started' },
  ]
  const listed = [{ text: 'look', status: 'done' }, { status: 'active' }, { status: 'open' }]
  const begun = { kind: 'plan', tasks: [{ text: 'do it', status: 'active' }] }

  test.each<readonly [agent: string, name: string, input: object, action: object]>([
    ['Copilot', 'read_file', { filePath: file, startLine: 1 }, shown],
    ['Copilot', 'create_file', { filePath: file, content: 'x' }, created],
    ['Copilot', 'replace_string_in_file', pair, edited],
    [
      'Copilot',
      'multi_replace_string_in_file',
      { explanation: 'e', replacements },
      { kind: 'write', paths: ['a.ts', 'b.ts'], changes: [change, { ...change, path: 'b.ts' }] },
    ],
    ['Copilot', 'run_in_terminal', { command: 'npm test' }, tested],
    ['Copilot', 'semantic_search', { query: 'x' }, found],
    ['Copilot', 'runSubagent', { prompt: 'look' }, { kind: 'delegate' }],
    [
      'Copilot',
      'manage_todo_list',
      { operation: 'write', todoList },
      { kind: 'plan', replacesPlan: true, tasks: listed },
    ],
    ['Gemini CLI', 'read_file', { file_path: file }, shown],
    ['Gemini CLI', 'write_file', { file_path: 'a.ts', content: 'x' }, created],
    ['Gemini CLI', 'replace', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, edited],
    ['Gemini CLI', 'run_shell_command', { command: 'npm test' }, tested],
    ['Gemini CLI', 'grep_search', { pattern: 'x', dir_path: 'src' }, found],
    ['Gemini CLI', 'invoke_agent', { agent_name: 'r', prompt: 'x' }, { kind: 'delegate' }],
    [
      'Gemini CLI',
      'write_todos',
      { todos: [{ description: 'do it', status: 'in_progress' }] },
      begun,
    ],
    [
      'Gemini CLI',
      'tracker_create_task',
      { title: 'x', description: 'all' },
      { tasks: [{ text: 'x', status: 'open' }] },
    ],
    [
      'Gemini CLI',
      'tracker_update_task',
      { id: 'a1', status: 'closed' },
      { tasks: [{ id: 'a1', status: 'done' }] },
    ],
    ['pi', 'read', { path: 'a.ts' }, shown],
    ['pi', 'write', { path: 'a.ts', content: 'x' }, created],
    ['pi', 'edit', { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }] }, edited],
    ['pi', 'bash', { command: 'npm test' }, tested],
    ['pi', 'grep', { path: 'src' }, searched],
    ['pi', 'find', { path: 'src' }, searched],
    ['pi', 'ls', { path: 'src' }, searched],
    ['OpenCode', 'read', { filePath: file }, shown],
    ['OpenCode', 'edit', pair, edited],
    ['OpenCode', 'write', { filePath: file, content: 'x' }, created],
    [
      'OpenCode',
      'apply_patch',
      { patchText: '*** Begin Patch\n*** Delete File: /work/app/b.ts' },
      { kind: 'write', paths: ['b.ts'] },
    ],
    [
      'OpenCode',
      'bash',
      { command: 'npm test', description: 'Tests' },
      { kind: 'command', purpose: 'Tests' },
    ],
    ['OpenCode', 'list', { path: '/work/app/src' }, searched],
    [
      'OpenCode',
      'task',
      { description: 'x', prompt: 'x', subagent_type: 'explore' },
      { kind: 'delegate' },
    ],
    [
      'OpenCode',
      'todowrite',
      { todos: [{ content: 'do it', status: 'in_progress', id: '1' }] },
      begun,
    ],
  ])('of %s, %s is known for what it does', (_, name, input, action) => {
    expect(read(name, input)).toMatchObject(action)
  })

  test('a command is read from an object, from JSON text and from an argument list', () => {
    expect(read('Bash', { command: 'npm test' })).toMatchObject({
      kind: 'command',
      command: 'npm test',
    })
    expect(read('exec_command', '{"cmd":"npm test","workdir":"/work"}')).toMatchObject({
      command: 'npm test',
    })
    expect(read('shell', '{"command":["bash","-lc","npm test"]}')).toMatchObject({
      command: 'npm test',
    })
  })

  test('a shell command that only shows a file is a read of it', () => {
    expect(
      read('exec_command', { cmd: "cd src && sed -n '1,20p' /work/app/src/a.ts" }),
    ).toMatchObject({
      kind: 'read',
      paths: ['src/a.ts'],
    })
    expect(read('Bash', { command: "sed -i 's/a/b/' a.ts" })).toMatchObject({ kind: 'command' })
    expect(read('Bash', { command: 'rg -n foo src' })).toMatchObject({ kind: 'search' })
  })

  test('a command that shows several files reads all of them, one that shows more reads none', () => {
    const shown = (cmd: string) => {
      const { kind, paths } = read('exec_command', { cmd })
      return [kind, ...paths]
    }
    expect(shown("nl -ba a.ts | sed -n '1,20p'; echo; nl -ba b.ts | head")).toEqual([
      'read',
      'a.ts',
      'b.ts',
    ])
    expect(shown("sed -n '1,9p;20q' a.ts && sed -n '30,40p' a.ts")).toEqual(['read', 'a.ts'])
    expect(shown("sed -n '1,9p' a.ts && grep -R Default src")).toEqual(['command'])
    expect(shown('cat a.ts && npm test')).toEqual(['command'])
  })

  test('a patch is read as free text, as an input field and inside a command', () => {
    const patch =
      '*** Begin Patch\n*** Update File: /work/app/a.ts\n@@\n context\n-old\n+new\n*** Add File: b.ts\n+x\n*** End Patch'
    const changes = [
      { path: 'a.ts', type: 'edited', removed: ['context', 'old'], added: ['context', 'new'] },
      { path: 'b.ts', type: 'created', removed: [], added: ['x'] },
    ]
    expect(read('apply_patch', patch).changes).toEqual(changes)
    expect(read('apply_patch', { input: patch }).changes).toEqual(changes)
    expect(read('exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }).changes).toEqual(
      changes,
    )
  })

  test('a script of Codex does several things, and is a write as a whole when one of them is', () => {
    const patch = JSON.stringify('*** Begin Patch\n*** Add File: b.ts\n+x\n*** End Patch')
    const input = `const r = await tools.exec_command({cmd: "cat a.ts", workdir: "/work/app/src"});
      text(await tools.apply_patch(${patch})); await tools.exec_command({cmd: "npm test"})`
    const call = { type: 'tool-call' as const, callId: 'c', name: 'exec', input }
    expect(readToolCalls(call, '/work/app')).toMatchObject([
      { kind: 'read', command: 'cat a.ts', paths: ['src/a.ts'], isJoint: true },
      { kind: 'write', paths: ['b.ts'], changes: [{ type: 'created', added: ['x'] }] },
      { kind: 'command', command: 'npm test' },
    ])
    expect(read('exec', input)).toMatchObject({
      kind: 'write',
      paths: ['b.ts'],
      command: 'cat a.ts\nnpm test',
    })
    expect(read('exec', 'text(await tools.exec_command({cmd: "ls"}))')).toMatchObject({
      kind: 'search',
      command: 'ls',
    })
    expect(read('exec', 'text(ALL_TOOLS.length)')).toMatchObject({ kind: 'other', changes: [] })
    expect(read('exec', 'ls -la')).toMatchObject({ kind: 'search', command: 'ls -la' })
  })

  test('plans of TodoWrite, update_plan and TaskUpdate give tasks with a status', () => {
    expect(read('TodoWrite', { todos: [{ content: 'a', status: 'in_progress' }] })).toMatchObject({
      kind: 'plan',
      tasks: [{ text: 'a', status: 'active' }],
      replacesPlan: true,
    })
    expect(read('update_plan', { plan: [{ step: 'a', status: 'completed' }] }).tasks).toEqual([
      { text: 'a', status: 'done' },
    ])
    expect(read('TaskUpdate', { taskId: '3', status: 'completed' })).toMatchObject({
      tasks: [{ id: '3', status: 'done' }],
      replacesPlan: false,
    })
  })

  test.each([
    undefined,
    null,
    7,
    '',
    '{',
    [],
    { command: 7 },
    { file_path: {} },
    { todos: [null, 1] },
    { edits: 'x', path: 'a' },
  ])('input %j does no harm', (input) => {
    for (const name of ['Edit', 'Bash', 'TodoWrite', '__proto__'])
      expect(read(name, input).changes).toEqual([])
  })
})
