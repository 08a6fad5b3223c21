import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { root } from '../sources.ts'
import { readFakeFile } from './wrapped-client.suite.ts'

const FILES = 40

/** A project of `examples/`, as a person would install and start it. */
export function testExample(
  name: string,
  environment: (url: string) => Record<string, string>,
): void {
  describe(`examples/${name}`, () => {
    const project = resolve(root, 'examples', name)

    test('has at most 2 kB', () => {
      expect(readFileSync(join(project, 'agent.ts')).length).toBeLessThanOrEqual(2000)
    })

    test('installs the packed library, reads forty files in a window that holds far less, and answers', {
      tags: 'slow',
    }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'precis-example-'))
      cpSync(project, folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
      for (let file = 1; file <= FILES; file++)
        writeFileSync(join(folder, `${file}.txt`), readFakeFile(file))
      const core = await npm(resolve(root, 'packages/core'), [
        'pack',
        '--ignore-scripts',
        '--pack-destination',
        folder,
      ])
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      manifest.dependencies['@precis/core'] = `file:${core.stdout.trim()}`
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
      await npm(folder, ['install', '--no-audit', '--no-fund'])
      const upstream = await startFakeUpstream(
        (_, number) =>
          number <= FILES
            ? { toolCalls: [{ name: 'read_file', input: { name: `${number}.txt` } }] }
            : { text: 'It is a folder of examples.' },
        { windowTokens: 16_000 },
      )
      try {
        const { stdout, stderr } = await npm(folder, ['start'], environment(upstream.url))
        expect(stderr).toMatch(/compressed: \d+ to \d+ tokens/)
        expect(stdout).toContain('It is a folder of examples.')
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

/** Rejects with what npm printed if it does not end with 0. */
function npm(cwd: string, words: readonly string[], environment: Record<string, string> = {}) {
  return promisify(execFile)('npm', words, { cwd, env: { ...process.env, ...environment } })
}
