import fs, {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agents } from '../agents/index.ts'
import { COMMAND, useScratchHome } from '../agents/scratch-home.suite.ts'
import { applyPlan } from './apply-plan.ts'
import { readInstallationRecords } from './installation-records.ts'
import { planInstallation, planRemoval } from './plan-change.ts'

const home = useScratchHome()

/** Runs when the file after the records is brought to the disk. */
function onFlush(work: () => void): void {
  const { fsyncSync } = fs
  let flushed = 0
  const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
    fsyncSync(descriptor)
    if (++flushed === 2) work()
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
}

const find = (name: string) => agents.find((agent) => agent.name === name)!
const entriesOf = (name: string) =>
  find(name).installation?.listEntries({ environment: process.env, command: COMMAND }) ?? []
const install = (name: string) => applyPlan(planInstallation(find(name), entriesOf(name)))
const uninstall = (name: string) => applyPlan(planRemoval(find(name), entriesOf(name)))

test('what an agent writes into its file while it is changed stays', async () => {
  const path = home.write('.copilot/mcp-config.json', '{"mcpServers":{}}')
  const written = '{"mcpServers":{"other":{"command":"x"}}}'
  onFlush(() => writeFileSync(path, written))
  await expect(install('copilot-cli')).rejects.toThrow('another program wrote to it')
  expect(readFileSync(path, 'utf8')).toBe(written)
})

test('a folder that its user made a link since stays, and nothing fails', async () => {
  await install('gemini-cli')
  const folder = join(home.path, '.gemini/commands')
  mkdirSync(join(home.path, 'dotfiles'))
  renameSync(folder, join(home.path, 'dotfiles/commands'))
  symlinkSync(join(home.path, 'dotfiles/commands'), folder)
  await install('qwen-code')
  await uninstall('gemini-cli')
  await uninstall('qwen-code')
  expect(readdirSync(home.path)).toEqual(['.gemini', 'dotfiles'])
  expect(readdirSync(folder)).toEqual([])
})

test('two installations at once keep the records of both', async () => {
  const both = ['gemini-cli', 'copilot-cli']
  await Promise.all(both.map(install))
  expect(
    readInstallationRecords()
      .agents.map(({ agent }) => agent)
      .sort(),
  ).toEqual(both.sort())
  for (const name of both) await uninstall(name)
  expect(home.list()).toEqual({})
})

test('a repeated installation keeps what the user added to the server', async () => {
  const old = { command: 'node', args: ['/old/precis.js', 'mcp'], env: { A: 'b' }, trust: true }
  const path = home.write('.gemini/settings.json', JSON.stringify({ mcpServers: { precis: old } }))
  await install('gemini-cli')
  const { mcpServers } = JSON.parse(readFileSync(path, 'utf8'))
  expect(mcpServers.precis).toMatchObject({ env: { A: 'b' }, trust: true })
  expect(mcpServers.precis.args).not.toContain('/old/precis.js')
  await uninstall('gemini-cli')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: {} })
})

test('a repeated installation keeps the lines that the user added to the table', async () => {
  const table = [
    'model = "x"',
    '',
    '[mcp_servers.precis]',
    'command = "node"',
    'args = [\n  "/old/precis.js",\n  "mcp",\n]',
    'startup_timeout_sec = 30',
    '',
    '[mcp_servers.precis.env]',
    'A = "b"',
    '',
    '[other]',
    'c = 1',
    '',
  ]
  const path = home.write('.codex/config.toml', table.join('\n'))
  await install('codex')
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('"mcp"]\nstartup_timeout_sec = 30\n[mcp_servers.precis.env]\nA = "b"\n#')
  expect(text).not.toContain('/old/')
  await install('codex')
  expect(readFileSync(path, 'utf8')).toBe(text)
  await uninstall('codex')
  expect(readFileSync(path, 'utf8')).toBe('model = "x"\n\n[other]\nc = 1\n')
})
