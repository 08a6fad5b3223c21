import { SERVER_NAME, SERVER_WORD } from '../ground/entry.ts'
import type { Launch } from '../ground/wire.ts'

/**
 * Settings on the command line (developers.openai.com/codex/config-advanced; tried with 0.169.0). The address is that of the provider that
 * Codex comes with, so that a login with ChatGPT stays.
 */
export const launch: Launch = {
  program: 'codex',
  plan({ gateway, command }) {
    const server = `mcp_servers.${SERVER_NAME}`
    const settings = {
      openai_base_url: `${gateway.url}/v1`,
      [`${server}.command`]: command.program,
      [`${server}.args`]: [...command.words, SERVER_WORD],
    }
    return {
      environment: {},
      // A string or a list of strings is the same in JSON and in TOML.
      arguments: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
      files: [],
      recallTool: 'mcp__precis.recall',
    }
  },
}
