import { renderCompressionReport } from '../compression-report.ts'
import type { SlashCommand } from './command.ts'

export const compressCommand: SlashCommand = {
  name: 'compress',
  aliases: ['summarize'],
  hint: '[what to keep above all]',
  summary: 'make room now',
  runsWhileAnswering: false,
  async run(focus, { agent, view }) {
    const compression = await view.work('compressing', (signal, progress) =>
      agent.context.compress({
        signal,
        ...(focus !== '' && { instructions: focus }),
        onProgress: (step, done = 0, total = 0) => progress(total > 1 ? `${step} ${done} of ${total}` : step),
      }),
    )
    view.show((columns, palette) => renderCompressionReport(compression, columns, palette))
  },
}
