import type { SlashCommand } from './command.ts'

export const pinCommand: SlashCommand = {
  name: 'pin',
  hint: '[text]',
  summary: 'keep a text word for word in every compression; alone: list them',
  runsWhileAnswering: true,
  async run(text, { agent: { context }, view }) {
    if (text !== '') {
      context.pin(text)
      view.say(`pinned, word for word in every compression: “${text}”`, 'good')
      return
    }
    const { pins } = context.state
    if (pins.length === 0) view.say('nothing is pinned. /pin <text> keeps a text word for word in every compression.')
    else view.say(['pinned:', ...pins.map((pin) => `• ${pin}`)].join('\n'))
  },
}
