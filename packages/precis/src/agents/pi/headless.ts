import { asCount, asObject, asText } from '../../files/lines.ts'
import { type Headless, ROLE } from '../shared/headless.ts'
import { readObjectLines } from '../shared/read-objects.ts'
import { asObjects } from '../shared/request-text.ts'

/** `pi --help`, tested with 0.73.1. */
export const headless: Headless = {
  program: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  windowTokens: 128_000,
  // Each has the whole answer so far.
  repeats: '{"type":"message_update"',
  plan: ({ model }) => ({
    arguments: [
      '--print',
      '--mode',
      'json',
      '--no-tools',
      '--no-session',
      '--no-extensions',
      '--no-skills',
      '--no-prompt-templates',
      '--no-context-files',
      '--system-prompt',
      ROLE,
      ...(model === undefined ? [] : ['--model', model]),
    ],
  }),
  readAnswer(output) {
    const ended = readObjectLines(output).findLast(
      ({ type, message }) => type === 'message_end' && asObject(message)?.role === 'assistant',
    )
    const message = asObject(ended?.message)
    if (!message) return undefined
    if (message.stopReason === 'error' || message.stopReason === 'aborted')
      return { type: 'failed', message: asText(message.errorMessage) }
    const usage = asObject(message.usage) ?? {}
    return {
      type: 'text',
      text: (asObjects(message.content) ?? []).map(({ text }) => asText(text) ?? '').join(''),
      isCutOff: message.stopReason === 'length',
      inputTokens: asCount(usage.input) + asCount(usage.cacheRead) + asCount(usage.cacheWrite),
      outputTokens: asCount(usage.output),
    }
  },
}
