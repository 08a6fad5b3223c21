import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createProgram } from '../packages/precis/src/cli/program.ts'
import { createTerminal } from '../packages/precis/src/terminal/terminal.ts'
import { renderPlugins } from '../scripts/build-plugins.ts'

const MODULE = 'plugins/claude-code/hooks/mod.js'
// They change with every change of core, so only the slow lane holds them to the code.
const WITH_CORE = [MODULE, 'plugins/pi/extensions/precis.ts', 'plugins/opencode/precis.js']

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe('the plugins', () => {
  test('are what npx tsx scripts/build-plugins.ts writes', async () => {
    for (const [path, text] of await renderPlugins())
      if (!WITH_CORE.includes(path)) expect(read(path), path).toBe(text)
  })

  test('those with core are made of the code that is here', { tags: ['slow'] }, async () => {
    const plugins = await renderPlugins()
    expect(WITH_CORE.filter((path) => plugins.get(path) !== read(path))).toEqual([])
  })

  test('Claude Code loads its module: one file below 1 MiB that imports nothing on demand', () => {
    const code = read(MODULE)
    expect(Buffer.byteLength(code)).toBeLessThan(1 << 20)
    expect(code).not.toMatch(/\bimport\(|^import /m)
    expect(code).toContain("on('session.compact'".replaceAll("'", '"'))
    const folder = new URL('../plugins/', import.meta.url)
    const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_700_000)
  })

  test('name only commands and options that there are', { tags: 'slow' }, async () => {
    const program = await createProgram(createTerminal({ NO_COLOR: '1' }), '0')
    const lines = [
      ...read('plugins/claude-code/skills/compress/SKILL.md').matchAll(
        /`precis ([a-z]+) ([^`]*)`/g,
      ),
    ]
    expect(lines.length).toBeGreaterThan(3)
    for (const [, name, words = ''] of lines) {
      const command = program.commands.find((known) => known.name() === name)
      const known = command?.options.map(({ long }) => long)
      for (const [option] of words.matchAll(/--[a-z-]+/g))
        expect(known, `${name} ${option}`).toContain(option)
    }
  })
})

describe('the plugin of OpenCode, by itself', () => {
  const folder = mkdtempSync(join(tmpdir(), 'precis-plugin-'))
  const load = async (PATH: string, home = folder) => {
    vi.stubEnv('PATH', PATH)
    vi.stubEnv('XDG_CONFIG_HOME', home)
    const log: object[] = []
    const { precis } = await import(new URL('../plugins/opencode/precis.js', import.meta.url).href)
    const client = { app: { log: async ({ body }: { body: object }) => void log.push(body) } }
    const hooks = await precis({ client })
    const settings: { command?: Record<string, object>; mcp?: Record<string, object> } = {}
    await hooks.config?.(settings)
    return { hooks, settings, log }
  }
  afterEach(() => vi.unstubAllEnvs())

  test('compacts without the command, and offers its tools if it is there', {
    tags: 'slow',
  }, async () => {
    const { hooks, settings, log } = await load('')
    expect(Object.keys(hooks)).toContain('experimental.session.compacting')
    expect(settings.mcp).toBeUndefined()
    expect(settings.command?.precis).toMatchObject({
      template: expect.stringContaining('has to be installed'),
    })
    expect(log).toEqual([])
    const wrapper = join(folder, 'shims/precis')
    mkdirSync(dirname(wrapper))
    writeFileSync(wrapper, '#!/bin/sh')
    chmodSync(wrapper, 0o755)
    const { settings: known } = await load(dirname(wrapper))
    expect(known.mcp).toMatchObject({ precis: { command: [wrapper, 'mcp'] } })
  })

  test('does nothing where precis install put in the same', async () => {
    const home = join(folder, 'home')
    mkdirSync(join(home, 'opencode/plugins'), { recursive: true })
    writeFileSync(join(home, 'opencode/plugins/precis.js'), '')
    expect(await load('', home)).toEqual({ hooks: {}, settings: {}, log: [] })
  })
})
