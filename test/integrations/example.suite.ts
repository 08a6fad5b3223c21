import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { root } from '../sources.ts'
import { readFakeFile } from './wrapped-client.suite.ts'

const FILES = 40

/** An example of `examples/`, as a person would start it in a folder of many files. */
export function testExample(
  name: string,
  environment: (url: string) => Record<string, string>,
): void {
  describe(`examples/${name}`, () => {
    const path = resolve(root, 'examples', name)

    test('has at most 2 kB', () => {
      expect(readFileSync(path).length).toBeLessThanOrEqual(2000)
    })

    test('reads forty files in a window that holds far less, and answers', {
      tags: 'slow',
    }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'precis-example-'))
      for (let file = 1; file <= FILES; file++)
        writeFileSync(join(folder, `${file}.txt`), readFakeFile(file))
      const upstream = await startFakeUpstream(
        (_, number) =>
          number <= FILES
            ? { toolCalls: [{ name: 'read_file', input: { name: `${number}.txt` } }] }
            : { text: 'It is a folder of examples.' },
        { windowTokens: 16_000 },
      )
      try {
        const { stdout, stderr, status } = await run(path, folder, environment(upstream.url))
        expect(stderr).toMatch(/compressed: \d+ to \d+ tokens/)
        expect(stdout).toContain('It is a folder of examples.')
        expect(status).toBe(0)
        expect(upstream.requests).toHaveLength(FILES + 1)
        expect(upstream.requests.at(-1)?.raw).toContain(
          JSON.stringify(readFakeFile(FILES)).slice(1, -1),
        )
      } finally {
        await upstream.close()
        rmSync(folder, { recursive: true })
      }
    })
  })
}

function run(path: string, folder: string, environment: Record<string, string>) {
  const tsx = resolve(root, 'node_modules/tsx/dist/cli.mjs')
  const child = spawn(process.execPath, [tsx, '--tsconfig', resolve(root, 'tsconfig.json'), path], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...environment },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  return new Promise<{ stdout: string; stderr: string; status: number | null }>((done) => {
    child.on('close', (status) => done({ stdout, stderr, status }))
  })
}
