import { renderCount } from '../../../terminal/render.ts'
import type { SlashCommand } from './command.ts'

export const undoCommand: SlashCommand = {
  name: 'undo',
  summary: 'take back the newest compression',
  runsWhileAnswering: false,
  async run(_, { agent: { context }, view }) {
    if (context.undo()) {
      view.say(
        `the compression is taken back: the history has ${renderCount(context.state.tokens)} tokens again.`,
        'good',
      )
    } else if (context.state.isCompressing) view.say('a compression runs; Esc cancels it.', 'warning')
    else view.say('there is no compression to take back.')
  },
}
