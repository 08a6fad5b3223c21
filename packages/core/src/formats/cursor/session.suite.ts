/** Builds small transcripts as Cursor writes them, for tests. */
import type { HostWords, StoreSession } from '../shared/host-words.suite.ts'

export const toLog = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('')

export const text = (words: string) => ({ type: 'text', text: words })
export const call = (name: string, input: unknown) => ({ type: 'tool_use', name, input })
export const line = (role: string, ...content: readonly object[]) => ({
  role,
  message: { content },
})
export const answer = (...content: readonly object[]) => line('assistant', ...content)
export const ended = (status = 'success') => ({ type: 'turn_ended', status })

const TIMESTAMP = '<timestamp>Thursday, Nov 26, 2026, 4:12 PM (UTC+1)</timestamp>'

export const typed = (words: string) =>
  line('user', text(`${TIMESTAMP}\n<user_query>\n${words}\n</user_query>`))

/** Two calls in one answer, words around those of the user, and a line of an older version. */
export const RICH = [
  typed('Find the bug.'),
  answer(text('Looking.'), call('Read', { path: '/work/a.ts' })),
  answer(call('Grep', { pattern: 'tax' }), call('Shell', { command: 'npm test' })),
  answer(text('Found it.')),
  ended(),
  line(
    'user',
    text('<open_and_recently_viewed_files>\na.ts\n</open_and_recently_viewed_files>'),
    text('<user_query>fix it</user_query>\n<system_reminder>Agent mode.</system_reminder>'),
  ),
  answer(call('ApplyPatch', '*** Begin Patch\n*** Update File: a.ts\n@@\n-1\n+2\n*** End Patch')),
  answer(text('Done.')),
  ended('aborted'),
  { role: 'user', message: { content: 'thanks' } },
]

/** As transcripts of this agent contain them. */
export const hostWords: HostWords = {
  reminder: '<system_reminder>You are in agent mode.</system_reminder>',
  question: { none: 'a transcript has no answers of tools' },
  refusal: { none: 'a transcript has no results of calls' },
  summary: { none: 'a transcript is never compacted' },
  tools: {
    read: ['Read', { path: '/work/a.ts' }],
    write: ['StrReplace', { path: '/work/a.ts', old_string: '1', new_string: '2' }],
    command: ['Shell', { command: 'npm test', description: 'Runs the tests' }],
    search: ['SemanticSearch', { query: 'where tax is added', target_directories: [] }],
    plan: ['TodoWrite', { todos: [{ id: '1', content: 'look', status: 'pending' }], merge: false }],
    delegate: ['Task', { description: 'look', prompt: 'Look around.' }],
  },
}

export const storeSession: StoreSession = (sessionId, messages) => ({
  path: `projects/work-shop/agent-transcripts/${sessionId}/${sessionId}.jsonl`,
  text: toLog(
    messages.map(({ role, content }) => (role === 'user' ? typed(content) : answer(text(content)))),
  ),
})
