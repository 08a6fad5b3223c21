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
