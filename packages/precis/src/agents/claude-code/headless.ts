import { asCount, asObject, asText, parseObject } from '../../files/lines.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { launch } from './launch.ts'

/**
 * `--safe-mode` leaves out hooks, plugins, servers and memory, and keeps the settings that log in
 * (`claude --help`, tested with 2.1.332).
 */
export const headless: Headless = {
  program: launch.program,
  install: launch.install,
  usualModel: 'claude-opus-4-8',
  windowTokens: 200_000,
  plan: ({ model }) => ({
    arguments: [
      '--print',
      '--output-format=json',
      '--safe-mode',
      '--strict-mcp-config',
      '--tools=',
      '--disable-slash-commands',
      '--no-session-persistence',
      `--system-prompt=${ROLE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    // Ten by default, which takes minutes for a login that has expired.
    environment: { CLAUDE_CODE_MAX_RETRIES: '3' },
  }),
  readAnswer(output) {
    const found = parseObject(Buffer.from(output))
    const text = asText(found?.result)
    if (found?.type !== 'result') return undefined
    if (found.is_error === true || text === undefined)
      return { type: 'failed', message: text ?? asText(found.subtype) }
    const usage = asObject(found.usage) ?? {}
    return {
      type: 'text',
      text,
      isCutOff: found.stop_reason === 'max_tokens',
      inputTokens:
        asCount(usage.input_tokens) +
        asCount(usage.cache_creation_input_tokens) +
        asCount(usage.cache_read_input_tokens),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}
