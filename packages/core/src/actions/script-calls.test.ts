import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readScriptCalls } from './script-calls.ts'

const read = (input: unknown, name = 'exec') =>
  readScriptCalls({ type: 'tool-call', callId: 'c', name, input })
const callsOf = (script: string) => read(script)?.map(({ name, input }) => [name, input])
const commandsOf = (script: string) =>
  read(script)?.map(({ input }) => new Map(Object.entries(input ?? {})).get('cmd'))

describe('readScriptCalls', () => {
  test('finds a command with its folder, and has the id of the call', () => {
    const script =
      'const r = await tools.exec_command({"cmd":"npm test","workdir":"/w"}); text(r.output)'
    expect(read(script)).toEqual([
      {
        type: 'tool-call',
        callId: 'c',
        name: 'exec_command',
        input: { cmd: 'npm test', workdir: '/w' },
      },
    ])
  })

  test('finds every call, in order, whatever is around it', () => {
    const all = `// look first
      const [a, b] = await Promise.all([
        tools.exec_command({cmd: 'git status', /* here */ yield_time_ms: 1_000,}),
        tools.web__run({search_query: [{q: "x"}]}),
      ]);
      if (a.exit_code === 0) { text(await tools.update_plan({plan: [{step: 'look', status: "completed"}]})) }
      const run = async () => { try { await tools["mcp__gh__create_issue"]({title: "t"}) } catch (e) { text(String(e)) } }`
    expect(callsOf(all)).toEqual([
      ['exec_command', { cmd: 'git status', yield_time_ms: 1000 }],
      ['web__run', { search_query: [{ q: 'x' }] }],
      ['update_plan', { plan: [{ step: 'look', status: 'completed' }] }],
      ['mcp__gh__create_issue', { title: 't' }],
    ])
  })

  test('follows names, concatenation, templates and joined lists to the patch', () => {
    const patch = '*** Begin Patch\n*** Update File: /w/a.ts\n@@\n-a\n+`b` \\n\n*** End Patch'
    const head = JSON.stringify(patch.slice(0, 20))
    const tail = JSON.stringify(patch.slice(20))
    const scripts = [
      `const patch = ${JSON.stringify(patch)};\ntext(await tools.apply_patch(patch));`,
      `let patch = ${head} + ${tail}\nawait tools.apply_patch(patch)`,
      `await tools.apply_patch([${head}, ${tail}].join(""))`,
      `const root = "/w"; await tools.apply_patch(\`*** Begin Patch\n*** Update File: \${root}/a.ts\n@@\n-a\n+\\\`b\\\` \\\\n\n*** End Patch\`)`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the script that has the template
      'await tools.apply_patch(String.raw`*** Begin Patch\n*** Update File: /w/a.ts\n@@\n-a\n+${"`b`"} \\n\n*** End Patch`)',
    ]
    for (const script of scripts) expect(callsOf(script)).toEqual([['apply_patch', patch]])
  })

  test('a list that is mapped or looped over gives a call for each of its items', () => {
    expect(
      commandsOf(
        'const all = ["a", "b"]; await Promise.all(all.map(cmd => tools.exec_command({cmd})))',
      ),
    ).toEqual(['a', 'b'])
    expect(
      commandsOf(
        `for (const [dir, cmd] of [["x", "ls"]]) { await tools.exec_command({cmd: "cd " + dir + " && " + cmd}) }`,
      ),
    ).toEqual(['cd x && ls'])
    expect(
      commandsOf(
        '[{cmd: "a"}, {cmd: "b"}].forEach(async ({cmd}) => { await tools.exec_command({cmd}) })',
      ),
    ).toEqual(['a', 'b'])
  })

  test('what only running would tell stands there as the script says it, or is left out', () => {
    const shown = 'wc $' + '{r.output.trim()} a.ts'
    expect(commandsOf(`tools.exec_command({cmd: \`${shown}\`})`)).toEqual([shown])
    expect(callsOf('tools.exec_command({cmd: build(), workdir: "/w"})')).toEqual([
      ['exec_command', { workdir: '/w' }],
    ])
  })

  test('strings, comments and patterns are no calls', () => {
    expect(
      callsOf(`text("tools.exec_command({cmd: 'a'})") // tools.exec_command({cmd: "b"})`),
    ).toEqual([])
    expect(commandsOf(`x.replace(/["'\`]/g, ""); tools.exec_command({cmd: "c"})`)).toEqual(['c'])
  })

  test('is undefined for another tool, and for an input that is no script', () => {
    expect(read('tools.exec_command({cmd: "a"})', 'bash')).toBeUndefined()
    for (const input of ['ls -la', { command: 'ls' }, null, 7, ''])
      expect(read(input)).toBeUndefined()
    expect(read({ input: 'tools.x()' }, 'functions.exec')).toMatchObject([{ name: 'x' }])
  })

  const signs =
    'tools. a ( ) { } [ ] ` ${ " \' \\ / /* */ // => = , + : ? ... .map( String.raw \\u{ 1'
  const words = ['\n', 'const ', 'for (const x of ', 'await ', 'async ', 'function ']
  const pieces = [...signs.split(' '), ...words]

  test('takes anything, and gives no more than a small multiple of what it was given', () => {
    const scripts = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 })
    fc.assert(
      fc.property(scripts, (parts) => {
        const script = `tools.${parts.join('')}`
        expect(JSON.stringify(callsOf(script)).length).toBeLessThan(100 * script.length + 10_000)
      }),
    )
  })

  test.each(pieces)('%j without end is passed', (piece) => {
    const script = `tools.first(); ${piece.repeat(20_000)}`
    expect(callsOf(script)?.length).toBeGreaterThan(0)
  })

  test('a name that doubles, or stands for much very often, stays small', () => {
    const doubling = `let a = "xxxxxxxxxx"; ${'a = a + a; '.repeat(500)} tools.b(a)`
    const often = `const a = "${'x'.repeat(20_000)}"; ${'tools.b({cmd: a}); '.repeat(2_000)}`
    for (const script of [doubling, often]) {
      expect(JSON.stringify(callsOf(script)).length).toBeLessThan(10 * script.length)
    }
  })
})
