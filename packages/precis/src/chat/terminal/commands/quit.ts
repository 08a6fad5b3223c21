import type { SlashCommand } from './command.ts'

export const quitCommand: SlashCommand = {
  name: 'quit',
  aliases: ['exit'],
  summary: 'end the chat; it is kept',
  runsWhileAnswering: true,
  async run(_, { quit }) {
    quit()
  },
}
