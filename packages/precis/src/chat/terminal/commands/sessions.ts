import { renderPlural, renderTable } from '../../../terminal/render.ts'
import type { SlashCommand } from './command.ts'
import { listResumable, RESUMABLE_COLUMNS } from './list-resumable.ts'

export const sessionsCommand: SlashCommand = {
  name: 'sessions',
  summary: 'chats of this folder and sessions of agents; /resume goes on with one',
  runsWhileAnswering: true,
  async run(_, { view, workingDirectory }) {
    const rows = listResumable(workingDirectory)
    if (rows.length === 0) {
      view.say('there is none yet: no other chat in this folder, and no session of a coding agent.')
      return
    }
    const table = { columns: RESUMABLE_COLUMNS, rows: rows.map(({ cells }) => cells) }
    view.show((columns, { colors, accent }) => [
      `${accent('◆')} ${renderPlural(rows.length, 'session')}`,
      ...renderTable(table, columns, colors).split('\n'),
    ])
  },
}
