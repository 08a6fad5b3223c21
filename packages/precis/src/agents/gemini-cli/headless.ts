import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { quietly } from '../../files/errors.ts'
import { asCount, asObject, asText, parseObject } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { launch } from './launch.ts'
import { findFolder } from './settings.ts'

// If there are no tools, the provider refuses the empty list. This tool sees only the empty folder.
const TOOL = 'list_directory'
const SYSTEM = join('.gemini', 'system.md')
const NONE = 'none'

/**
 * Settings of a trusted folder override the user's settings, but the user's login stays. The mode
 * for plans uses the strongest model, and does not first ask another how hard the prompt is
 * (geminicli.com/docs/reference/configuration, tested with 0.61.0).
 */
export const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'gemini-2.5-pro',
  windowTokens: 1_000_000,
  plan: ({ folder, model }) => ({
    arguments: [
      '--output-format=json',
      '--skip-trust',
      '--approval-mode=plan',
      `--extensions=${NONE}`,
      `--allowed-mcp-server-names=${NONE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    environment: { GEMINI_SYSTEM_MD: join(folder, SYSTEM), GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: {
      [SYSTEM]: ROLE,
      [join('.gemini', 'settings.json')]: JSON.stringify({
        hooksConfig: { enabled: false },
        tools: { core: [TOOL] },
        skills: { enabled: false },
        experimental: { enableAgents: false },
      }),
    },
  }),
  readAnswer(output) {
    const found = parseObject(Buffer.from(output.slice(Math.max(0, output.indexOf('{')))))
    const message = asText(asObject(found?.error)?.message)
    if (message !== undefined) return { type: 'failed', message }
    const text = asText(found?.response)
    if (text === undefined) return undefined
    const models = Object.values(asObject(asObject(found?.stats)?.models) ?? {})
    const tokens = models.map((model) => asObject(asObject(model)?.tokens) ?? {})
    const sum = (name: string) => tokens.reduce((total, each) => total + asCount(each[name]), 0)
    return {
      type: 'text',
      text,
      inputTokens: sum('prompt'),
      outputTokens: sum('candidates') + sum('thoughts'),
    }
  },
  /** It keeps a chat of every start, in folders named after the folder in which it runs. */
  forget({ environment, folder }) {
    for (const kind of ['tmp', 'history']) {
      const path = join(findFolder(environment), kind, basename(folder))
      const root = quietly(() => readInputFile(join(path, '.project_root')).toString('utf8'))
      if (root?.trim() === folder) quietly(() => rmSync(path, { recursive: true, force: true }))
    }
  },
}
