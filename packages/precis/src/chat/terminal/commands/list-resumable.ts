import { describeSession } from '../../../sessions/describe-session.ts'
import { listSessionFiles } from '../../../sessions/find-sessions.ts'
import { shortenHome } from '../../../sessions/shorten-home.ts'
import { findUniquePrefixes } from '../../../sessions/unique-prefixes.ts'
import type { ChoiceRow } from '../../../terminal/picker.ts'
import { type Column, renderAge } from '../../../terminal/render.ts'
import { renderPreview } from '../../../terminal/terminal-text.ts'
import { listChats } from '../../history/list-chats.ts'

const MAX_SESSIONS = 40
const MAX_CHATS = 20

export const RESUMABLE_COLUMNS: readonly Column[] = [
  { title: 'id', shrinkTo: 8 },
  { title: 'of', shrinkTo: 6 },
  { title: 'age', align: 'right' },
  { title: 'project', shrinkTo: 0 },
  { title: 'first prompt', shrinkTo: 12 },
]

/** Chats of this folder, then sessions of agents, each newest first. The value is the path. */
export function listResumable(workingDirectory: string): ChoiceRow[] {
  const chats = listChats(workingDirectory)
    .slice(0, MAX_CHATS)
    .map((chat) => ({ ...chat, of: chat.isDemo ? 'demo' : 'chat' }))
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
      renderAge(Date.now() - modified.getTime()),
      project === undefined ? '–' : renderPreview(shortenHome(project), 40),
      firstPrompt === undefined ? '–' : renderPreview(firstPrompt, 100),
    ],
    detail: firstPrompt === undefined ? '' : `“${renderPreview(firstPrompt, 300)}”`,
  }))
}
