import { join } from 'node:path'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
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
import { type LineProcess, startLines } from '../line-process.ts'

/** By `--mode rpc`. */
export const pi: Driver = {
  agent: 'pi',
  package: '@earendil-works/pi-coding-agent',
  program: 'dist/bundle/cli.js',
  runsOnNode: true,
  lacks: ['a question', 'a sub-agent'],
  async drive(run) {
    run.write('.pi/agent/models.json', createModels(run))
    run.write('.pi/agent/settings.json', { compaction: { keepRecentTokens: 20 } })
    run.write('.pi/agent/extensions/script.ts', EXTENSION)
    const process = startLines(
      run,
      ['--mode', 'rpc', '--provider', 'fake', '--model', 'm1'],
      () => undefined,
    )
    for (const prompt of listPrompts()) await takeTurn(process, prompt)
    await command(process, { type: 'compact' })
    await takeTurn(process, { message: AFTER_COMPACTION })
    const { data } = await command(process, { type: 'get_state' })
    const { data: found } = await command(process, { type: 'get_fork_messages' })
    const messages = readMember(found, 'messages')
    const last: unknown = Array.isArray(messages) ? messages.filter(isJsonObject).at(-1) : undefined
    await command(process, { type: 'fork', entryId: readString(last, 'entryId') })
    await takeTurn(process, { message: IN_FORK })
    await process.end()
    return readSessions(
      join(run.home, '.pi', 'agent', 'sessions'),
      '.jsonl',
      readString(data, 'sessionId') ?? '',
    )
  },
}

function createModels({ upstream }: Run): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const m1 = {
    id: 'm1',
    name: 'm1',
    reasoning: false,
    input: ['text', 'image'],
    contextWindow: 1_000_000,
    cost,
  }
  const fake = {
    baseUrl: `${upstream}/v1`,
    api: 'openai-completions',
    apiKey: 'x',
    models: [{ ...m1, maxTokens: 8000 }],
  }
  return { providers: { fake } }
}

// Refuses a call, keeps a note of its own, and gives the first answer other words.
const EXTENSION = `let isEdited = false
export default function (pi) {
  pi.on('tool_call', ({ input }) =>
    JSON.stringify(input).includes('${REFUSED}') ? { block: true, reason: 'No, not that.' } : undefined)
  pi.on('turn_end', ({ messageEntryId }) => {
    if (isEdited) return undefined
    isEdited = true
    const edit = { type: 'context_edit', targetId: messageEntryId, replacement: { content: 'It is small.' } }
    return { entries: [edit, { type: 'custom', customType: 'script', data: { state: 1 } }] }
  })
}
`

function listPrompts(): object[] {
  return [
    { message: FIRST_WORDS },
    { message: askForCall('bash', { command: 'cat a.txt' }) },
    { message: askForCall('read', { path: 'a.txt' }) },
    { message: askForCall('write', { path: 'b.txt', content: 'hello\n' }) },
    { message: askForCall('bash', { command: `echo ${REFUSED}` }) },
    {
      message: 'What is in this picture?',
      images: [{ type: 'image', data: PICTURE, mimeType: 'image/png' }],
    },
  ]
}

async function takeTurn(process: LineProcess, prompt: object): Promise<void> {
  const done = process.next(({ type }) => type === 'agent_end')
  await command(process, { type: 'prompt', ...prompt })
  await done
}

let count = 0

async function command(process: LineProcess, value: object): Promise<JsonObject> {
  const id = `c${++count}`
  const answered = process.next((line) => line.type === 'response' && line.id === id)
  process.send({ id, ...value })
  const answer = await answered
  if (answer.success === false)
    throw new Error(`pi: ${JSON.stringify(value)} failed: ${JSON.stringify(answer)}`)
  return answer
}
