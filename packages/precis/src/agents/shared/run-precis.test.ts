import child_process from 'node:child_process'
import { EventEmitter } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { findCommand, isProgram, type Machine, runPrecis } from './run-precis.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis command-'))
const SCRIPT = '#!/bin/sh\nprintf "%s " "$@"\ncat\n'

const write = (name: string, mode = 0o755) => {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, SCRIPT)
  chmodSync(path, mode)
  return path
}
const find = (PATH: string, more: Partial<Machine> = {}) =>
  findCommand({ platform: 'linux', isProgram, ...more, environment: { PATH, ...more.environment } })
    ?.program

afterAll(() => rmSync(folder, { recursive: true }))

describe('findCommand', () => {
  test('takes the first program of the name, be it a wrapper of a shell or a link', () => {
    write('plain/precis', 0o644)
    mkdirSync(join(folder, 'folder/precis'), { recursive: true })
    const wrapper = write('shims/precis')
    mkdirSync(join(folder, 'linked'))
    symlinkSync(wrapper, join(folder, 'linked/precis'))
    const path = ['none', 'plain', 'folder', 'linked', 'shims']
      .map((name) => join(folder, name))
      .join(':')
    expect(find(path)).toBe(join(folder, 'linked/precis'))
    expect(find(join(folder, 'shims'))).toBe(wrapper)
    expect(find(join(folder, 'plain'))).toBeUndefined()
  })

  test('takes what Windows would start, by the endings that it names', () => {
    const files = new Set([
      'C:\\npm\\precis',
      'C:\\npm\\precis.cmd',
      'C:\\npm\\precis.ps1',
      'D:\\volta\\precis.exe',
    ])
    const windows: Partial<Machine> = { platform: 'win32', isProgram: (path) => files.has(path) }
    expect(find('C:\\none;"C:\\npm";D:\\volta', windows)).toBe('C:\\npm\\precis.cmd')
    expect(find('D:\\volta;C:\\npm', windows)).toBe('D:\\volta\\precis.exe')
    expect(find('C:\\npm', { ...windows, environment: { PATHEXT: '.EXE' } })).toBeUndefined()
  })

  test('takes nothing from the folder of a project', () => {
    const anywhere = { isProgram: () => true }
    expect(find('.::bin', anywhere)).toBeUndefined()
    expect(find('.;;bin', { ...anywhere, platform: 'win32' })).toBeUndefined()
  })
})

describe('runPrecis', () => {
  test('says so if this process can open no more files', async () => {
    const spy = vi.spyOn(child_process, 'spawn').mockImplementation(() => {
      const child = new EventEmitter()
      process.nextTick(() => child.emit('error', new Error('spawn EMFILE')))
      // As Node returns it: without streams.
      return child as child_process.ChildProcess
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      spy.mockRestore()
      syncBuiltinESMExports()
    })
    const { exitCode, errors } = await runPrecis({ program: 'precis', words: [] }, [], {
      timeoutMs: 1000,
    })
    expect([exitCode, errors]).toEqual([null, 'spawn EMFILE'])
  })

  test.each(['precis', 'precis.cmd'])(
    'starts %s in a folder with a space, and gives it its input',
    async (name) => {
      const program = write(`run/${name}`)
      const result = await runPrecis({ program, words: [] }, ['hook', 'pi'], {
        input: { a: '$(b)' },
        timeoutMs: 60_000,
      })
      expect(result).toEqual({ exitCode: 0, output: 'hook pi {"a":"$(b)"}', errors: '' })
    },
  )

  test('says what is wrong with a program that cannot be started', async () => {
    const result = await runPrecis({ program: join(folder, 'none'), words: [] }, ['hook'], {
      timeoutMs: 60_000,
    })
    expect(result).toMatchObject({ exitCode: null, errors: expect.stringContaining('ENOENT') })
  })
})
