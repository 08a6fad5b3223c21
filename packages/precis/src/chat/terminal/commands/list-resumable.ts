import { renderTime } from '../../../cli/render.ts'
import { findUniquePrefixes } from '../../../cli/sessions.ts'
import { renderPreview } from '../../../cli/terminal-text.ts'
import { describeSession } from '../../../sessions/describe-session.ts'
import { listSessionFiles } from '../../../sessions/find-sessions.ts'
import { shortenHome } from '../../../sessions/shorten-home.ts'
import { listChats } from '../../history/list-chats.ts'
import type { ChoiceRow } from '../chat-view.ts'

const MAX_SESSIONS = 40
const MAX_CHATS = 20

export const RESUMABLE_COLUMNS = [
  { title: 'id', shrinkTo: 8 },
  { title: 'of', shrinkTo: 6 },
  { title: 'modified', shrinkTo: 10 },
  { title: 'project', shrinkTo: 2 },
  { title: 'first prompt', shrinkTo: 8 },
]

/** Chats of this folder, then sessions of agents, each newest first. The value is the path. */
export function listResumable(workingDirectory: string): ChoiceRow[] {
  const chats = listChats(workingDirectory)
    .slice(0, MAX_CHATS)
    .map((chat) => ({ ...chat, of: chat.isDemo ? 'demo chat' : 'chat' }))
  const sessions = listSessionFiles()
    .slice(0, MAX_SESSIONS)
    .map(describeSession)
    .map((session) => ({ ...session, of: session.agent }))
  const all = [...chats, ...sessions]
  const prefixes = findUniquePrefixes(all.map(({ id }) => id))
  return all.map(({ id, path, of, modified, workingDirectory: project, firstPrompt }) => ({
    value: path,
    cells: [
      prefixes.get(id) ?? id,
      of,
      renderTime(modified),
      project === undefined ? '–' : renderPreview(shortenHome(project), 40),
      firstPrompt === undefined ? '–' : renderPreview(firstPrompt, 100),
    ],
    detail: firstPrompt === undefined ? '' : `“${renderPreview(firstPrompt, 300)}”`,
  }))
}
