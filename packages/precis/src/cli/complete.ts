import { type Dirent, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Complete } from '@bomb.sh/tab'
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { renderTime } from '../terminal/render.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'
import { SESSION_ARGUMENT } from './session-argument.ts'

const NEWEST_SESSIONS = 30

/** Adds `complete <shell>`, and `complete -- <words>` that the scripts of the shells call. */
export function defineComplete(program: Command): void {
  const completion = tab(program)
  for (const command of completion.commands.values()) {
    const session = command.arguments.get(SESSION_ARGUMENT)
    if (session) session.handler = completeSession
    const out = command.options.get('out')
    if (out) out.handler = completeFile
    const budget = command.options.get('budget')
    if (budget) budget.handler = completeBudget
    const summarizer = command.options.get('summarizer')
    if (summarizer) summarizer.handler = (complete) => complete('digest', 'local, no model')
  }
}

function completeSession(complete: Complete): void {
  completeFile(complete)
  for (const { id, agent, modified } of listSessionFiles().slice(0, NEWEST_SESSIONS)) {
    complete(id, `${agent}, ${renderTime(modified)}`)
  }
}

function completeBudget(complete: Complete): void {
  for (const share of ['20%', '30%', '50%']) complete(share, 'of what the session has now')
  for (const tokens of ['40k', '100k']) complete(tokens, 'tokens')
}

/** The completion protocol tells shells not to look for files, so they are looked for here. */
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
