import { spawn, spawnSync } from 'node:child_process'
import fs, { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { acquireLease } from './file-lease.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-lease-'))
  file = join(folder, 'chat.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const listLocks = () => readdirSync(folder).filter((name) => name.includes('lock'))

describe('a lease', () => {
  test('is had by one, and free again after its release', () => {
    const lease = acquireLease(file)
    expect(() => acquireLease(file)).toThrow(/is the one that is open/)
    lease.release()
    acquireLease(file).release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('of a process that is gone is taken over', () => {
    const { pid } = spawnSync('true')
    writeFileSync(
      `${file}.lock.4`,
      JSON.stringify({ process: pid, startedAt: '1', host: hostname() }),
    )
    const lease = acquireLease(file)
    expect(listLocks()).toEqual(['chat.jsonl.lock.5'])
    lease.release()
  })

  test('of a number that another process has by now is taken over', () => {
    writeFileSync(
      `${file}.lock.0`,
      JSON.stringify({ process: process.ppid, startedAt: '1', host: hostname() }),
    )
    acquireLease(file).release()
  })

  test.each(['', '{', '[]', '{"process":"x"}', '{"process":-1}'])(
    'that holds %j is taken over',
    (content) => {
      writeFileSync(`${file}.lock.0`, content)
      acquireLease(file).release()
    },
  )

  test('is had by one on a drive that knows no links', () => {
    const spy = vi.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('no links'), { code: 'EACCES' })
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    const lease = acquireLease(file)
    expect(() => acquireLease(file)).toThrow(/is the one that is open/)
    lease.release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('of another machine is not', () => {
    writeFileSync(
      `${file}.lock.0`,
      JSON.stringify({ process: 1, startedAt: '', host: 'elsewhere' }),
    )
    expect(() => acquireLease(file)).toThrow(
      /process 1 on elsewhere has it open. If it is gone, remove/,
    )
  })

  test('is won by one of several processes that want a dead one', {
    tags: 'slow',
    timeout: 60_000,
  }, async () => {
    writeFileSync(
      `${file}.lock.0`,
      JSON.stringify({ process: spawnSync('true').pid, startedAt: '1', host: hostname() }),
    )
    const module = fileURLToPath(new URL('file-lease.ts', import.meta.url))
    const startAt = Date.now() + 6000
    const code = `
      const { acquireLease } = await import(${JSON.stringify(module)})
      while (Date.now() < ${startAt});
      try { acquireLease(${JSON.stringify(file)}); process.stdout.write('won') } catch (error) { process.stdout.write(error.code) }
      setTimeout(() => {}, 1500)`
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, [
          '--import',
          'tsx',
          '--input-type=module',
          '--eval',
          code,
        ])
        let output = ''
        child.stdout.on('data', (chunk) => {
          output += chunk
        })
        await new Promise((resolve) => child.on('exit', resolve))
        return output
      }),
    )
    expect(outputs.filter((output) => output === 'won').length).toBeLessThanOrEqual(1)
    expect(outputs.filter((output) => output !== 'won' && output !== 'in-use')).toEqual([])
  })
})
