import { join } from 'node:path'
import { quietly } from '../../files/errors.ts'
import { asCount, asObject, asText } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Environment } from '../shared/file-entry.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { readObjectLines } from '../shared/read-objects.ts'
import { findFolder } from './folder.ts'
import { launch } from './launch.ts'

// Features that give the model tools, or run what the user installed.
const FEATURES = [
  'apps',
  'goals',
  'hooks',
  'image_generation',
  'multi_agent',
  'plugins',
  'shell_tool',
  'skill_search',
  'tool_suggest',
  'unified_exec',
]
const INSTRUCTIONS = 'instructions.md'

/**
 * The user's settings stay, because they name the provider. Each of their servers is turned off
 * (`codex exec --help` and `codex features list`, tested with 0.169.0).
 */
export const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'gpt-5-codex',
  windowTokens: 258_000,
  plan({ folder, environment, model }) {
    const settings = [
      'notify=[]',
      'web_search="disabled"',
      'project_doc_max_bytes=0',
      'include_environment_context=false',
      'include_permissions_instructions=false',
      'skills.include_instructions=false',
      `model_instructions_file=${JSON.stringify(join(folder, INSTRUCTIONS))}`,
      ...FEATURES.map((name) => `features.${name}=false`),
      ...listServers(environment).map((name) => `mcp_servers.${name}.enabled=false`),
    ]
    return {
      arguments: [
        'exec',
        '--json',
        '--ephemeral',
        '--skip-git-repo-check',
        '--ignore-rules',
        '--sandbox=read-only',
        '--color=never',
        ...settings.map((setting) => `--config=${setting}`),
        ...(model === undefined ? [] : [`--model=${model}`]),
        '-',
      ],
      files: { [INSTRUCTIONS]: ROLE },
    }
  },
  readAnswer(output) {
    const events = readObjectLines(output)
    const failed = events.findLast(({ type }) => type === 'turn.failed')
    if (failed) return { type: 'failed', message: asText(asObject(failed.error)?.message) }
    const said = events.flatMap(({ item }) =>
      asObject(item)?.type === 'agent_message' ? (asText(asObject(item)?.text) ?? []) : [],
    )
    const usage = asObject(events.findLast(({ type }) => type === 'turn.completed')?.usage)
    const text = said.at(-1)
    if (text === undefined || usage === undefined) return undefined
    return {
      type: 'text',
      text,
      inputTokens: asCount(usage.input_tokens),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}

const SERVER = /^[ \t]*\[[ \t]*mcp_servers\.([\w-]+|"[^"\\\n]+")[ \t.\]]/gm

/** By the tables of its `config.toml`. */
function listServers(environment: Environment): string[] {
  const path = join(findFolder(environment), 'config.toml')
  const text = quietly(() => readInputFile(path).toString('utf8')) ?? ''
  return [...new Set(Array.from(text.matchAll(SERVER), ([, name = '']) => name))]
}
