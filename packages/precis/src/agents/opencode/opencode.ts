import { asCount, asObject, asText } from '../../files/lines.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { readObjectLines } from '../shared/session-lines.ts'
import { readConfigurations } from './configuration.ts'
import { createOpencodeAgent } from './create-opencode-agent.ts'
import { launch, readConfigurationContent, VARIABLE } from './launch.ts'
import { OPENCODE_PRODUCT } from './product.ts'
import { wire } from './wire.ts'

/**
 * A separate agent with no tools, in a database that is removed with it. The login is in a file
 * (`opencode run --help`, tested with 1.18.33).
 */
const headless: Headless = {
  program: launch.program,
  install: launch.install,
  windowTokens: 128_000,
  plan({ environment, folder, model }) {
    const before = readConfigurationContent(environment)
    const servers = [...readConfigurations(OPENCODE_PRODUCT, folder, environment), before].flatMap(
      ({ mcp }) => Object.keys(asObject(mcp) ?? {}),
    )
    const noTools = { '*': false }
    const settings = {
      ...before,
      autoupdate: false,
      share: 'disabled',
      permission: 'deny',
      tools: noTools,
      mcp: {
        ...asObject(before.mcp),
        ...Object.fromEntries(servers.map((name) => [name, { enabled: false }])),
      },
      agent: {
        ...asObject(before.agent),
        [NAME]: { mode: 'primary', prompt: ROLE, tools: noTools },
      },
    }
    return {
      arguments: [
        'run',
        '--format=json',
        '--pure',
        `--agent=${NAME}`,
        // Otherwise it asks a model for a title.
        `--title=${NAME}`,
        ...(model === undefined ? [] : [`--model=${model}`]),
      ],
      environment: {
        [VARIABLE]: JSON.stringify(settings),
        OPENCODE_DB: ':memory:',
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      },
    }
  },
  readAnswer(output) {
    const events = readObjectLines(output)
    const failed = asObject(events.findLast(({ type }) => type === 'error')?.error)
    if (failed) {
      const message = asText(asObject(failed.data)?.message) ?? asText(failed.name)
      return { type: 'failed', message }
    }
    const parts = events.map(({ part }) => asObject(part) ?? {})
    const finish = parts.findLast(({ type }) => type === 'step-finish')
    const text = parts.flatMap((part) => (part.type === 'text' ? (asText(part.text) ?? []) : []))
    if (!finish || text.length === 0) return undefined
    const tokens = asObject(finish.tokens) ?? {}
    const cache = asObject(tokens.cache) ?? {}
    return {
      type: 'text',
      text: text.join(''),
      isCutOff: finish.reason === 'length',
      inputTokens: asCount(tokens.input) + asCount(cache.read) + asCount(cache.write),
      outputTokens: asCount(tokens.output) + asCount(tokens.reasoning),
    }
  },
}

/** Rows of `~/.local/share/opencode/opencode.db`, or files in `storage` in older versions. */
export const opencode = createOpencodeAgent(OPENCODE_PRODUCT, { headless, wire })

const NAME = 'precis'
