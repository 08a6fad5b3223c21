import { join } from 'node:path'
import {
  type JsonObject,
  readMember,
  readString,
  toObject,
} from '../../../packages/core/src/formats/shared/json.ts'
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
import { startLines } from '../line-process.ts'

const MODEL = 'claude-opus-5'

/** By `--input-format stream-json`, the protocol of its SDK. */
export const claudeCode: Driver = {
  agent: 'claude-code',
  package: '@anthropic-ai/claude-code',
  program: 'bin/claude.exe',
  runsOnNode: false,
  lacks: [],
  async drive(run) {
    run.write('.claude.json', { hasCompletedOnboarding: true })
    const first = await talk(run, [], listPrompts(run))
    await talk(run, ['--resume', first, '--fork-session'], [IN_FORK])
    return readSessions(join(run.home, '.claude', 'projects'), '.jsonl', first)
  },
}

function listPrompts({ project }: Run): unknown[] {
  const options = ['left', 'right'].map((label) => ({ label, description: label }))
  const questions = [{ question: 'Which one?', header: 'One', multiSelect: false, options }]
  return [
    FIRST_WORDS,
    askForCall('Bash', { command: 'cat a.txt', description: 'Show it' }),
    askForCall('Read', { file_path: join(project, 'a.txt') }),
    askForCall('Write', { file_path: join(project, 'b.txt'), content: 'hello\n' }),
    askForCall('Edit', {
      file_path: join(project, 'b.txt'),
      old_string: 'hello',
      new_string: 'bye',
    }),
    askForCall('Bash', { command: `echo ${REFUSED}`, description: 'Not wanted' }),
    askForCall('AskUserQuestion', { questions }),
    askForCall('Agent', {
      description: 'Look',
      prompt: 'Look around.',
      subagent_type: 'general-purpose',
    }),
    [
      { type: 'text', text: 'What is in this picture?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
    ],
    '/compact',
    AFTER_COMPACTION,
  ]
}

const WORDS =
  '-p --verbose --input-format stream-json --output-format stream-json --permission-prompt-tool stdio'

/** Gives the id of the session. */
async function talk(
  run: Run,
  words: readonly string[],
  prompts: readonly unknown[],
): Promise<string> {
  const process = startLines(run, [...WORDS.split(' '), '--model', MODEL, ...words], answer)
  let id = ''
  for (const content of prompts) {
    const done = process.next(({ type }) => type === 'result')
    process.send({ type: 'user', message: { role: 'user', content } })
    id = readString(await done, 'session_id') ?? id
  }
  await process.end()
  return id
}

function answer({ type, request_id, request }: JsonObject): object | undefined {
  if (type !== 'control_request') return undefined
  const input = toObject(readMember(request, 'input'))
  const answers = { 'Which one?': 'right' }
  const response = JSON.stringify(input).includes(REFUSED)
    ? { behavior: 'deny', message: 'No, not that.' }
    : { behavior: 'allow', updatedInput: 'questions' in input ? { ...input, answers } : input }
  return { type: 'control_response', response: { subtype: 'success', request_id, response } }
}
