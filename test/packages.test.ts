/**
 * What somebody gets who installs the packages, on the oldest Node that is supported and on newer
 * ones.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from './sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'precis-packages-'))
const prefix = join(folder, 'prefix')
const home = join(folder, 'home')
let tarballs: Readonly<Record<'core' | 'chat' | 'precis', string>>

afterAll(() => rmSync(folder, { recursive: true }))

describe('the packages', { tags: ['slow'] }, () => {
  beforeAll(async () => {
    mkdirSync(home)
    const pack = async (name: string) => {
      // What is packed is what was built; building it again here would pull it away from tests that
      // run beside.
      const { stdout } = await run(
        'npm',
        ['pack', '--ignore-scripts', '--pack-destination', folder],
        {
          cwd: resolve(root, 'packages', name),
        },
      )
      return join(folder, stdout.trim())
    }
    tarballs = { core: await pack('core'), chat: await pack('chat'), precis: await pack('precis') }
    await run('npm', ['install', '--global', '--prefix', prefix, tarballs.precis, tarballs.chat])
  })

  test('bring few others, none with a script that npm has to run', () => {
    const manifests = readdirSync(prefix, { recursive: true, encoding: 'utf8' })
      .filter((path) => /node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
      .map((path) => JSON.parse(readFileSync(join(prefix, path), 'utf8')))
    expect(manifests.length).toBeLessThanOrEqual(10)
    for (const { name, scripts = {} } of manifests) {
      expect({ name, ...scripts }).not.toHaveProperty('install')
      expect({ name, ...scripts }).not.toHaveProperty('postinstall')
    }
  })

  test.each(['core', 'precis', 'chat'])(
    '%s has no file that only the repository needs',
    async (name) => {
      const { stdout } = await run('tar', ['-tzf', tarballs[name as keyof typeof tarballs]])
      expect(
        stdout
          .split('\n')
          .filter((file) => /\.(?:map|ts|tsbuildinfo)$/.test(file) && !file.endsWith('.d.ts')),
      ).toEqual([])
      const readme = readFileSync(resolve(root, 'packages', name, 'README.md'), 'utf8')
      expect(readme).not.toMatch(/npx precis|examples\/|\]\((?!https:)/)
    },
  )

  test.each(['this', '22', '24'])('work with Node: %s', async (version) => {
    const node = await installNode(version)
    const precis = (args: readonly string[], input = '') =>
      run(node, [join(prefix, 'lib/node_modules/precis/bin/precis.js'), ...args], { input })
    expect((await precis(['--version'])).stdout).toBe('0.1.0\n')
    const result = join(folder, `${version}.jsonl`)
    const compressed = await precis([
      'compress',
      resolve(root, 'examples/rate-limiter.jsonl'),
      '--out',
      result,
    ])
    expect(compressed).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining(`Wrote ${result}`),
    })
    const { stdout: found } = await precis(['recall', result, 'rate limiter', '--json'])
    expect(JSON.parse(found)).not.toEqual([])
    const chat = await precis(['chat', '--demo'], 'hello\n')
    expect(chat.stdout).toContain('This is the **demo**')
  })

  test('core imports and type-checks in a strict project that has nothing else', async () => {
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
    await run('npm', ['install', '--offline', tarballs.core], { cwd: project })
    const entries: Record<string, unknown> = JSON.parse(
      readFileSync(resolve(root, 'packages/core/package.json'), 'utf8'),
    ).exports
    const source = Object.keys(entries)
      .map(
        (entry, index) =>
          `import * as entry${index} from '@precis/core${entry.slice(1)}'\nconsole.log(entry${index})\n`,
      )
      .join('')
    const handsOn = `import { compress, createContext } from '@precis/core'
export const shorten = (signal: AbortSignal | undefined) => compress([], { budgetTokens: 1_000, signal })
export const prepare = (signal: AbortSignal | undefined) => createContext({ model: 'gpt-5' }).prepare({ signal })
`
    writeFileSync(join(project, 'main.ts'), source + handsOn)
    const strictest = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      target: 'es2022',
      types: [],
      lib: ['es2023', 'dom'],
    }
    const tsc = resolve(root, 'node_modules/typescript/bin/tsc')
    for (const resolution of [
      { module: 'esnext', moduleResolution: 'bundler' },
      { module: 'nodenext' },
    ]) {
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...strictest, ...resolution } }),
      )
      await run(process.execPath, [tsc, '-p', project]).catch(({ stdout }) =>
        expect(stdout).toBe(''),
      )
    }
    await run(process.execPath, [join(project, 'main.js')])
  })
})

/** The program of that version, which npm has as a package for each platform. */
async function installNode(version: string): Promise<string> {
  if (version === 'this') return process.execPath
  const name = `node-${process.platform}-${process.arch}`
  const target = join(folder, `node-${version}`)
  mkdirSync(target)
  await run('npm', ['install', '--prefix', target, '--no-save', `${name}@${version}`], {
    cwd: target,
  })
  return join(target, 'node_modules', name, 'bin/node')
}

interface RunOptions {
  readonly cwd?: string
  readonly input?: string
}

/** Rejects with what the program printed where it fails. */
async function run(program: string, args: readonly string[], { cwd, input }: RunOptions = {}) {
  // npm needs what the user says of its registry.
  const env =
    program === 'npm' ? process.env : { PATH: process.env.PATH, HOME: home, NO_COLOR: '1' }
  const child = promisify(execFile)(program, [...args], { cwd, env, encoding: 'utf8' })
  child.child.stdin?.end(input)
  return await child
}
