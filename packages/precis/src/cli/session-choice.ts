/** Sessions as rows of a list to pick from. */
import { setImmediate } from 'node:timers/promises'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { type DescribedSession, describeSession } from '../sessions/describe-session.ts'
import { renderSearchable } from '../sessions/filter-sessions.ts'
import type { SessionFile } from '../sessions/session-file.ts'
import { shortenHome } from '../sessions/shorten-home.ts'
import { findUniquePrefixes } from '../sessions/unique-prefixes.ts'
import type { ChoiceRow, ListChoice } from '../terminal/picker.ts'
import { type Column, renderAge, renderBytes, renderCount } from '../terminal/render.ts'
import { neutralizeLine, renderPreview } from '../terminal/terminal-text.ts'

const SESSION_COLUMNS: readonly Column[] = [
  { title: 'id', shrinkTo: 8, hideBelow: 64 },
  { title: 'agent' },
  { title: 'age', align: 'right' },
  { title: 'size', align: 'right', hideBelow: 90 },
  { title: 'tokens', align: 'right', hideBelow: 52 },
  { title: 'project', shrinkTo: 12, hideBelow: 80, keepsEnd: true },
  { title: 'first prompt', shrinkTo: 8 },
]

// Described before the list is shown; the rest is described while it is.
const FIRST_SESSIONS = 100
const BATCH_SESSIONS = 25
const PROJECT_COLUMNS = 200
const ORIGIN_COLUMNS = 40
const PROMPT_COLUMNS = 100
const DETAIL_COLUMNS = 400

/** The value of a row is the path. `files` are shown in their order. */
export function createSessionChoice(title: string, files: readonly SessionFile[]): ListChoice {
  const prefixes = findUniquePrefixes(files.map(({ id }) => id))
  const now = Date.now()
  const render = (file: SessionFile) => renderRow(describeSession(file), prefixes.get(file.id) ?? file.id, now)
  return {
    title,
    columns: SESSION_COLUMNS,
    rows: files.map((file, index) =>
      index < FIRST_SESSIONS ? render(file) : renderRow(file, prefixes.get(file.id) ?? file.id, now),
    ),
    async complete(change, signal) {
      for (let index = FIRST_SESSIONS; index < files.length && !signal.aborted; index++) {
        const file = files[index]
        if (file) change(render(file))
        if (index % BATCH_SESSIONS === 0) await setImmediate()
      }
    },
  }
}

function renderRow(session: SessionFile | DescribedSession, prefix: string, now: number): ChoiceRow {
  const { agent, path, bytes, modified } = session
  const described = 'contextTokens' in session ? session : undefined
  const { workingDirectory, title } = described ?? {}
  const prompt = described?.firstPrompt ?? title
  const unknown = described ? '–' : '…'
  const tokens = described?.contextTokens === undefined ? undefined : renderCount(described.contextTokens)
  const facts = [
    workingDirectory === undefined ? undefined : renderPreview(shortenHome(workingDirectory), DETAIL_COLUMNS),
    renderBytes(bytes),
    tokens && `${tokens} tokens`,
    prefix,
  ]
  const said = prompt === undefined ? '' : `\n“${renderPreview(prompt, DETAIL_COLUMNS)}”`
  return {
    value: path,
    cells: [
      prefix,
      agent,
      renderAge(now - modified.getTime()),
      renderBytes(bytes),
      tokens ?? unknown,
      workingDirectory === undefined ? unknown : renderPreview(shortenHome(workingDirectory), PROJECT_COLUMNS),
      prompt === undefined ? unknown : renderPreview(prompt, PROMPT_COLUMNS),
    ],
    detail: `${facts.filter(Boolean).join(' · ')}${said}`,
    searchText: described ? renderSearchable(described) : `${prefix} ${agent}`,
  }
}

const ARCHIVED_COLUMNS: readonly Column[] = [
  { title: 'id', shrinkTo: 8 },
  { title: 'agent', shrinkTo: 6 },
  { title: 'age', align: 'right' },
  { title: 'by', hideBelow: 52 },
  { title: 'was', align: 'right', hideBelow: 64 },
  { title: 'made from', shrinkTo: 8 },
]

/** The value of a row is the name of the entry. */
export function createArchivedChoice(title: string, entries: readonly ArchivedCompression[]): ListChoice {
  const prefixes = findUniquePrefixes(entries.flatMap(({ sessionId }) => sessionId ?? []))
  const now = Date.now()
  return {
    title,
    columns: ARCHIVED_COLUMNS,
    rows: entries.map(
      ({ name, command, storedAt, format, sessionId, path, originalId, originalPath, originalBytes }) => {
        const id = neutralizeLine(sessionId === null ? name : (prefixes.get(sessionId) ?? sessionId))
        const places = [path, originalPath].map((place) => (place === null ? '–' : shortenHome(place)))
        return {
          value: name,
          cells: [
            id,
            neutralizeLine(format),
            renderAge(now - Date.parse(storedAt)),
            neutralizeLine(command),
            renderBytes(originalBytes),
            renderPreview(originalId ?? originalPath ?? 'standard input', ORIGIN_COLUMNS),
          ],
          detail: places.map((place) => renderPreview(place, DETAIL_COLUMNS)).join('\nfrom '),
          searchText: [name, command, format, sessionId, path, originalId, originalPath].join('\n'),
        }
      },
    ),
  }
}
