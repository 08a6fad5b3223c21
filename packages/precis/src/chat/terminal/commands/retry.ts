import type { SlashCommand } from './command.ts'

export const retryCommand: SlashCommand = {
  name: 'retry',
  summary: 'send the last request again',
  runsWhileAnswering: false,
  async run(_, { resend }) {
    await resend()
  },
}
