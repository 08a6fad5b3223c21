import { renderAge, renderPlural } from '@precis/core/text'
import type { ResumableSession } from '../contract/chat-agent.ts'
import type { Column } from '../contract/ports.ts'
import type { ChoiceRow, Palette } from '../rendering/chat-view.ts'
import type { SlashCommand } from './command.ts'

const COLUMNS: readonly Column[] = [
  { title: 'id', shrinkTo: 8 },
  { title: 'of', shrinkTo: 6 },
  { title: 'age', align: 'right' },
  { title: 'project', shrinkTo: 0 },
  { title: 'first prompt', shrinkTo: 12 },
]

export const resumeCommand: SlashCommand = {
  name: 'resume',
  hint: '[id or path]',
  summary: 'continue another chat, or a session of a coding agent',
  runsWhileAnswering: false,
  async run(name, { agent, view, reopen }) {
    if (name !== '') return await reopen(name)
    const others = agent.listResumable().filter(({ path }) => path !== agent.historyFile)
    const none =
      'there is no other chat in this folder, and no session of a coding agent on this machine.'
    if (others.length === 0) return view.say(none)
    const rows = others.map((session) => renderRow(session, view.palette))
    const instead = 'Give its id: /resume <id>.'
    const session = await view.choose({ title: 'go on with', columns: COLUMNS, rows, instead })
    if (session !== undefined) await reopen(session)
  },
}

export const sessionsCommand: SlashCommand = {
  name: 'sessions',
  summary: 'chats of this folder and sessions of agents; /resume continues one',
  runsWhileAnswering: true,
  async run(_, { agent, view }) {
    const sessions = agent.listResumable()
    const none =
      'there is none yet: no other chat in this folder, and no session of a coding agent.'
    if (sessions.length === 0) return view.say(none)
    const rows = sessions.map((session) => renderRow(session, view.palette).cells)
    view.show((columns, { accent, table }) => [
      `${accent('◆')} ${renderPlural(sessions.length, 'session')}`,
      ...table({ columns: COLUMNS, rows }, columns),
    ])
  },
}

/** The value is the path. */
function renderRow(session: ResumableSession, { preview, shortenHome }: Palette): ChoiceRow {
  const { path, shortId, of, modified, workingDirectory, firstPrompt } = session
  return {
    value: path,
    cells: [
      shortId,
      of,
      renderAge(Date.now() - modified.getTime()),
      workingDirectory === undefined ? '–' : preview(shortenHome(workingDirectory), 40),
      firstPrompt === undefined ? '–' : preview(firstPrompt, 100),
    ],
    detail: firstPrompt === undefined ? '' : `“${preview(firstPrompt, 300)}”`,
  }
}
