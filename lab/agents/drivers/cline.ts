import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Pace,
  type PseudoTerminal,
  startOnTerminal,
} from '../../../test/pseudo-terminal.suite.ts'
import {
  AFTER_COMPACTION,
  askForCall,
  type Driver,
  FIRST_WORDS,
  IN_FORK,
  PICTURE,
  REFUSED,
  type Run,
} from '../driver.ts'
import { readSessions } from '../find-sessions.ts'
import { MOST_WAIT_MS } from '../line-process.ts'

/** On a terminal: its protocol for editors asks for a login. A compaction is a file of its own. */
export const cline: Driver = {
  agent: 'cline',
  package: 'cline',
  program: 'bin/cline',
  runsOnNode: true,
  lacks: [],
  async drive(run) {
    const settings = { provider: 'anthropic', apiKey: 'made-up', model: 'claude-sonnet-4-5' }
    run.write('.cline/data/settings/providers.json', {
      version: 1,
      lastUsedProvider: 'anthropic',
      modes: {},
      providers: {
        anthropic: {
          settings: { ...settings, baseUrl: run.upstream },
          updatedAt: '2026-11-28T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    })
    run.write('picture.png', Buffer.from(PICTURE, 'base64'))
    const [, ...words] = run.command
    const terminal = startOnTerminal([...words, '--tui', '--auto-approve', 'false'], {
      columns: 140,
      rows: 45,
      directory: run.project,
      environment: { ...run.environment, TERM: 'xterm-256color' },
    })
    try {
      await takeThrough(terminal, run)
    } finally {
      terminal.close()
      await terminal.exit
    }
    return [...listSessions(run), ...readSessions(folderOf(run), '.compaction.json', '')]
  },
}

const KEYSTROKE_MS = 600
const PACE: Pace = { patienceMs: MOST_WAIT_MS, lookMs: KEYSTROKE_MS }

async function takeThrough(terminal: PseudoTerminal, run: Run): Promise<void> {
  const shows = (text: RegExp) => terminal.shows(text)
  const until: typeof terminal.until = (isSo, what) => terminal.until(isSo, what, PACE)
  const enter = async (text: string) => {
    terminal.type(text)
    await wait(KEYSTROKE_MS)
    terminal.press('enter')
    await wait(2 * KEYSTROKE_MS)
    // A busy agent misses some. The first one may only choose the command from a list.
    await until(() => {
      if (isTaken()) return true
      terminal.press('enter')
      return false
    }, `line after ${text}`)
  }
  /** Whether the line for the next message is empty, or a question is there in its place. */
  const isTaken = () =>
    shows(/❯ (?:Ask anything|What can I do)|Approve tool call\?|Cline is asking a question/)
  const say = async (prompt: string) => {
    const before = countAnswers(run)
    await enter(prompt)
    await until(() => {
      if (shows(/Approve tool call\?/)) terminal.type(prompt.includes(REFUSED) ? 'n' : 'y')
      if (shows(/Cline is asking a question/)) {
        terminal.press('down')
        terminal.press('enter')
      }
      return countAnswers(run) > before
    }, `answer to ${prompt}`)
    await wait(2 * KEYSTROKE_MS)
  }
  await until(() => shows(/What can I do for you|any other key to close/), 'beginning')
  // Keys close the advertisement over it. It ignores the first ones.
  await until(() => {
    terminal.press('backspace')
    terminal.type('/')
    return shows(/\/settings/)
  }, 'list of commands')
  await until(() => {
    terminal.press('backspace')
    return !shows(/\/settings/)
  }, 'end of the list of commands')
  for (const prompt of listPrompts(run)) await say(prompt)
  await enter('/compact')
  await until(() => shows(/Context compacted/), 'compaction')
  await say(AFTER_COMPACTION)
  await enter('/fork')
  await until(() => {
    if (shows(/Create a fork/)) terminal.press('enter')
    return shows(/Forked into new session/)
  }, 'fork')
  await say(IN_FORK)
}

function listPrompts({ home, project }: Run): string[] {
  return [
    FIRST_WORDS,
    askForCall('run_commands', { commands: ['cat a.txt', 'ls nowhere'] }),
    askForCall('read_files', {
      files: [{ path: join(project, 'a.txt') }, { path: join(home, 'picture.png') }],
    }),
    askForCall('editor', { path: join(project, 'b.txt'), new_text: 'hello\n' }),
    askForCall('editor', { path: join(project, 'b.txt'), old_text: 'bye', new_text: 'hi' }),
    askForCall('run_commands', { commands: [`touch ${REFUSED}`] }),
    askForCall('ask_question', { question: 'Which one?', options: ['left', 'right'] }),
    askForCall('spawn_agent', { systemPrompt: 'Look.', task: 'Look around.' }),
    // A pasted path of a picture becomes the picture.
    `\u001b[200~${join(home, 'picture.png')}\u001b[201~ What is in this picture?`,
    'What is in @a.txt ?',
  ]
}

const folderOf = ({ home }: Run) => join(home, '.cline', 'data', 'sessions')

/** The first session, its fork, and what the sub-agent did. */
function listSessions(run: Run): string[] {
  return existsSync(folderOf(run)) ? readSessions(folderOf(run), '.messages.json', '') : []
}

const ANSWER = /"role": "assistant",\s*"content": \[\s*\{\s*"type": "text"/g

const countAnswers = (run: Run): number =>
  listSessions(run).reduce((sum, text) => sum + (text.match(ANSWER)?.length ?? 0), 0)
