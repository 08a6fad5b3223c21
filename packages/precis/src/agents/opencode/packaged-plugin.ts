/**
 * The plugin that users add: one file with everything that a compaction needs. If the command is
 * installed, it also archives sessions and offers the tools of the command. `precis install` adds a different file.
 */
import { existsSync } from 'node:fs'
import { findCommand } from '../shared/run-precis.ts'
import { renderPluginSkill, renderSkillPrompt } from '../shared/skill.ts'
import type { OpencodeClient, OpencodeHooks, OpencodeOptions } from './opencode-hooks.ts'
import { createOpencodePlugin } from './plugin.ts'
import { findPluginFile, OPENCODE_PRODUCT } from './product.ts'

/** The part of its settings that precis adds to. */
interface OpencodeSettings {
  command?: Readonly<Record<string, object>>
  mcp?: Readonly<Record<string, object>>
}

type PackagedHooks = Partial<OpencodeHooks> & {
  readonly config?: (settings: OpencodeSettings) => Promise<void>
}

const skill = renderSkillPrompt(renderPluginSkill(), '$ARGUMENTS')

export const packagedPlugin = async (
  host: { readonly client: OpencodeClient },
  options?: OpencodeOptions,
): Promise<PackagedHooks> => {
  if (existsSync(findPluginFile(OPENCODE_PRODUCT, process.env))) return {}
  const command = findCommand()
  const config = async (settings: OpencodeSettings) => {
    // If the command is missing, the model says so.
    settings.command = { precis: skill, ...settings.command }
    if (!command) return
    settings.mcp = {
      precis: { type: 'local', command: [command.program, 'mcp'], enabled: true },
      ...settings.mcp,
    }
  }
  return { config, ...createOpencodePlugin(host, options, { ...OPENCODE_PRODUCT, command }) }
}
