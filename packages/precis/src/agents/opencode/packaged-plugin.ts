/**
 * The plugin that users add: one file that calls the command by its name. `precis install` adds a
 * different file.
 */
import { existsSync } from 'node:fs'
import { COMMAND_MISSING, findCommand } from '../shared/run-precis.ts'
import { renderPluginSkill, renderSkillPrompt } from '../shared/skill.ts'
import { createOpencodePlugin, type OpencodeClient, type OpencodeHooks } from './plugin.ts'
import { findPluginFile, OPENCODE_PRODUCT } from './product.ts'

interface Client extends OpencodeClient {
  readonly app: { log(entry: { readonly body: object }): Promise<unknown> }
}

/** The part of its settings that precis adds to. */
interface OpencodeSettings {
  command?: Readonly<Record<string, object>>
  mcp?: Readonly<Record<string, object>>
}

type PackagedHooks = Partial<OpencodeHooks> & {
  readonly config?: (settings: OpencodeSettings) => Promise<void>
}

const skill = renderSkillPrompt(renderPluginSkill(), '$ARGUMENTS')

export const packagedPlugin = async ({
  client,
}: {
  readonly client: Client
}): Promise<PackagedHooks> => {
  if (existsSync(findPluginFile(OPENCODE_PRODUCT, process.env))) return {}
  const command = findCommand()
  if (!command)
    await client.app.log({ body: { service: 'precis', level: 'error', message: COMMAND_MISSING } })
  const config = async (settings: OpencodeSettings) => {
    // If precis is missing, the model says so.
    settings.command = { precis: skill, ...settings.command }
    if (!command) return
    settings.mcp = {
      precis: { type: 'local', command: [command.program, 'mcp'], enabled: true },
      ...settings.mcp,
    }
  }
  return { config, ...(command && createOpencodePlugin(command, { client, isPlugin: true })) }
}
