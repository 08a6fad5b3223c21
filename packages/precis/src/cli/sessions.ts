import type { Command } from 'commander'
import { findAgentHomes } from '../sessions/agent-home.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { type Column, renderBytes, renderCount, renderTable, renderTime } from './render.ts'
import { addJsonOption } from './session-argument.ts'
import type { Terminal } from './terminal.ts'
import { renderPreview } from './terminal-text.ts'

export function defineSessions(command: Command, terminal: Terminal): void {
  command.description(
    'Lists the sessions of coding agents on this machine, newest first. Tokens are the size of the context after the newest request, as its provider counted it.',
  )
  addJsonOption(command)
    .addHelpText('after', SESSIONS_HELP)
    .action((flags: { readonly json?: boolean }) => listSessions(flags.json === true, terminal))
}

function listSessions(asJson: boolean, terminal: Terminal): void {
  const sessions = listSessionFiles().map(describeSession)
  if (asJson) terminal.printJson({ sessions: sessions.map(toJson) })
  else if (sessions.length > 0) terminal.print(renderSessions(sessions, terminal))
  else {
    const places = findAgentHomes().map(({ name, sessionsDirectory }) => `${name} in ${shortenHome(sessionsDirectory)}`)
    terminal.note(
      `No sessions found: looked for ${places.join(', ')}. CLAUDE_CONFIG_DIR, CODEX_HOME, XDG_DATA_HOME, GEMINI_CLI_HOME and PI_CODING_AGENT_DIR name other folders.`,
    )
  }
}

function toJson({ agent, id, path, workingDirectory, firstPrompt, bytes, contextTokens, modified }: DescribedSession) {
  return {
    agent,
    sessionId: id,
    path,
    project: workingDirectory ?? null,
    firstPrompt: firstPrompt?.slice(0, 1000) ?? null,
    bytes,
    tokens: contextTokens ?? null,
    modified: modified.toISOString(),
  }
}

function renderSessions(sessions: readonly DescribedSession[], { columns: width, colors }: Terminal): string {
  const columns: Column[] = [
    { title: 'id', style: colors.bold },
    { title: 'agent' },
    { title: 'modified', style: colors.dim },
    { title: 'size', align: 'right' },
    { title: 'tokens', align: 'right' },
    { title: 'project', shrinkTo: 14 },
    { title: 'first prompt', shrinkTo: 16 },
  ]
  const prefixes = findUniquePrefixes(sessions.map(({ id }) => id))
  const rows = sessions.map(({ id, agent, modified, bytes, contextTokens, workingDirectory, firstPrompt }) => [
    prefixes.get(id) ?? id,
    agent,
    renderTime(modified),
    renderBytes(bytes),
    contextTokens === undefined ? '–' : renderCount(contextTokens),
    workingDirectory === undefined ? '–' : renderPreview(shortenHome(workingDirectory), 60),
    firstPrompt === undefined ? '–' : renderPreview(firstPrompt, 100),
  ])
  return renderTable({ columns, rows }, width, colors)
}

const MIN_PREFIX_LENGTH = 8

/** The shortest beginning of each id that names it alone. In sorted order only neighbours can be alike. */
export function findUniquePrefixes(ids: readonly string[]): Map<string, string> {
  const sorted = [...ids].sort()
  return new Map(
    sorted.map((id, index) => {
      const shared = Math.max(countShared(id, sorted[index - 1] ?? ''), countShared(id, sorted[index + 1] ?? ''))
      return [id, id.slice(0, Math.max(shared + 1, MIN_PREFIX_LENGTH))]
    }),
  )
}

function countShared(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

const SESSIONS_HELP = `
Examples:
  precis sessions
  precis sessions --json | jq -r '.sessions[] | select(.tokens > 100000) | .sessionId'

The id that is shown is long enough for every other command. Exit codes: 0 done, 1 failed, 2 wrong usage.
`
