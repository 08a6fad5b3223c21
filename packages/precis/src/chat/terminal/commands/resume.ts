import type { SlashCommand } from './command.ts'
import { listResumable, RESUMABLE_COLUMNS } from './list-resumable.ts'

export const resumeCommand: SlashCommand = {
  name: 'resume',
  hint: '[id or path]',
  summary: 'go on with another chat, or with a session of a coding agent',
  runsWhileAnswering: false,
  async run(name, { agent, view, workingDirectory, reopen }) {
    if (name !== '') {
      await reopen(name)
      return
    }
    const rows = listResumable(workingDirectory).filter(({ value }) => value !== agent.historyFile)
    if (rows.length === 0) {
      view.say('there is no other chat in this folder, and no session of a coding agent on this machine.')
      return
    }
    const instead = 'Give its id: /resume <id>.'
    const session = await view.choose({ title: 'go on with', columns: RESUMABLE_COLUMNS, rows, instead })
    if (session !== undefined) await reopen(session)
  },
}
