import { asCount, asObject, asText, parseObject } from '../../files/lines.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { asObjects } from '../shared/request-text.ts'

/**
 * `--safe-mode` leaves out hooks, extensions, servers and memory, and keeps the login. Its own
 * tools stay, and the first call of one would end the run (`qwen --help`, tested with 0.24.4).
 */
export const headless: Headless = {
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  windowTokens: 128_000,
  // It treats an answer that begins with a tag as a mistake of the model.
  closing: 'Begin your answer with the words "Here it is:".',
  plan: ({ model }) => ({
    arguments: [
      '--output-format=json',
      '--safe-mode',
      '--approval-mode=plan',
      '--max-tool-calls=0',
      '--chat-recording=false',
      `--system-prompt=${ROLE}`,
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
  }),
  readAnswer(output) {
    const events = asObjects(parseObject(Buffer.from(`{"events":${output}}`))?.events)
    const found = events?.findLast(({ type }) => type === 'result')
    if (!found) return undefined
    const text = asText(found.result)
    if (found.is_error === true || text === undefined)
      return { type: 'failed', message: asText(asObject(found.error)?.message) ?? text }
    const usage = asObject(found.usage) ?? {}
    return {
      type: 'text',
      text,
      inputTokens: asCount(usage.input_tokens),
      outputTokens: asCount(usage.output_tokens),
    }
  },
}
