import { describe, expect, test } from 'vitest'
import { person } from '../conversation/histories.suite.ts'
import { mentionsError } from '../facts/error-lines.ts'
import { digestOf, sectionOf, step } from './spans.suite.ts'

const run = (command: string, output: string) => step('Bash', { command }, output)

describe('digest, what commands printed', () => {
  test('a row without an error is no result and no error', async () => {
    const rows = ['[loop 250 ms] strict rc=0 failed:', '[loop 250 ms] basic rc=1 failed: times out']
    expect(rows.map(mentionsError)).toEqual([false, true])
    expect(mentionsError('12 checks, failed: 0')).toBe(false)
    const text = await digestOf([
      person('Go.'),
      ...run('node stall.mjs basic; node stall.mjs strict', rows.toReversed().join('\n')),
      person('Go on.'),
    ])
    expect(text).toContain('basic rc=1 failed: times out')
    expect(text).not.toContain('rc=0')
  })

  test('of runs that are compared, the last does not speak for all', async () => {
    const resultOf = async (output: string) =>
      sectionOf(
        await digestOf([person('Go.'), ...run('npm run sizes', output), person('Go on.')]),
        /Commands/,
      )
    const line = 'The built bundle without anything else'
    const sizes = ['Size: 18.7 kB, 9.44 kB minified', 'Size: 18.2 kB, 9.13 kB minified']
    expect(await resultOf([line, line, sizes[0]].join('\n'))).toEqual([
      `- npm run sizes → ok: "${sizes[0]}"`,
    ])
    expect(await resultOf([line, line, ...sizes].join('\n'))).toEqual(['- npm run sizes → ok'])
  })

  test('a test that failed in a copy in a scratch folder is none of the project', async () => {
    const output = ' FAIL  test/main.test.ts > takes the limit\n Tests  1 failed | 8 passed (9)'
    const inCopy = 'S=/home/dev/scratch; cp -r src test $S/a; (cd $S/a && npx vitest run); ls $S'
    const textOf = (command: string) =>
      digestOf([person('Go.'), ...run(command, output), person('Go on.')])
    expect(await textOf(inCopy)).not.toContain('FAIL')
    expect(await textOf('npx vitest run; git status')).toContain('FAIL')
  })

  test('of rows that count tests the newest is told', async () => {
    const rows = ['1 failed, 9 passed in 0.31s', '2 failed, 1 warning in 0.28s']
    const spans = rows.flatMap((row, at) =>
      step('run_suite', { suite: `part${at}` }, `The suite part${at} begins.\n${row}`),
    )
    const ofFile = '8 failed of those in src/limit.test.ts'
    const more = step('run_suite', { suite: 'limit' }, `The suite limit begins.\n${ofFile}`)
    const span = [person('Go.'), ...spans, ...more, person('Go on.')]
    const seen = sectionOf(await digestOf(span), /Seen/)
    expect(seen.filter((line) => line.includes('failed'))).toEqual([
      `\t${rows[1]} (and 1 like it)`,
      `\t${ofFile}`,
    ])
  })
})
