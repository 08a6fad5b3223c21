import type { Column } from '../../../cli/render.ts'
import { findUniquePrefixes } from '../../../cli/sessions.ts'
import { renderPreview } from '../../../cli/terminal-text.ts'
import { describeSession } from '../../../sessions/describe-session.ts'
import { listSessionFiles } from '../../../sessions/find-sessions.ts'
import { shortenHome } from '../../../sessions/shorten-home.ts'
import { listChats } from '../../history/list-chats.ts'
import type { ChoiceRow } from '../chat-view.ts'

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

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Short, as the list has to fit a narrow terminal. */
function renderAge(ms: number): string {
  if (ms < HOUR_MS) return `${Math.max(Math.floor(ms / MINUTE_MS), 0)}m`
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)}h` : `${Math.floor(ms / DAY_MS)}d`
}
