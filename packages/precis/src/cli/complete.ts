import { type Dirent, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Complete } from '@bomb.sh/tab'
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { neutralizeLine, renderTime } from '../terminal/render.ts'
import { SESSION_ARGUMENT } from './session-argument.ts'

const NEWEST_SESSIONS = 30

/** Adds `complete <shell>`, and `complete -- <words>` for the scripts of the shells. */
export function defineComplete(program: Command): void {
  const completion = tab(program)
  for (const command of completion.commands.values()) {
    const session = command.arguments.get(SESSION_ARGUMENT)
    if (session) session.handler = completeSession
    for (const [name, handler] of Object.entries(OPTION_HANDLERS)) {
      const option = command.options.get(name)
      if (option) option.handler = handler
    }
  }
}

const OPTION_HANDLERS: Readonly<Record<string, (complete: Complete) => void>> = {
  out: completeFile,
  budget: completeBudget,
  summarizer: (complete) => complete('digest', 'local, no model'),
}

function completeSession(complete: Complete): void {
  completeFile(complete)
  for (const { id, agent, modified } of listSessionFiles().slice(0, NEWEST_SESSIONS)) {
    complete(id, `${agent.name}, ${renderTime(modified)}`)
  }
}

function completeBudget(complete: Complete): void {
  for (const share of ['20%', '30%', '50%']) complete(share, 'of the conversation now')
  for (const tokens of ['40k', '100k']) complete(tokens, 'tokens')
  complete('model', "the size of a model's summary")
}

/** The completion protocol tells shells not to search files, so precis searches them. */
function completeFile(complete: Complete): void {
  const word = process.argv.at(-1) ?? ''
  const folder = word.endsWith('/') ? word : word.includes('/') ? dirname(word) : '.'
  for (const entry of listFolder(folder)) {
    if (entry.name.startsWith('.') && !word.includes('/.')) continue
    if (neutralizeLine(entry.name) !== entry.name) continue
    const path = folder === '.' && !word.startsWith('./') ? entry.name : join(folder, entry.name)
    const shown = word.startsWith('./') ? `./${path}` : path
    if (entry.isDirectory()) complete(`${shown}/`, 'folder')
    else if (/\.jsonl?$/.test(entry.name)) complete(shown, 'file')
  }
}

function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
