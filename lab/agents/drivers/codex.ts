import { join } from 'node:path'
import {
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

/** By `codex app-server`, the protocol of its editors. */
export const codex: Driver = {
  agent: 'codex',
  package: '@openai/codex',
  program: 'bin/codex.js',
  runsOnNode: true,
  lacks: [],
  async drive(run) {
    run.write('.codex/config.toml', renderConfiguration(run))
    const process = startLines(run, ['app-server'], answer)
    const clientInfo = { name: 'precis-survey', title: 'precis', version: '1.0.0' }
    await process.request('initialize', { clientInfo, capabilities: { experimentalApi: true } })
    process.send({ jsonrpc: '2.0', method: 'initialized' })
    const policy = { approvalPolicy: 'untrusted', sandbox: 'workspace-write' }
    const thread = readId(await process.request('thread/start', { cwd: run.project, ...policy }))
    for (const input of listPrompts())
      await takeTurn(process, 'turn/start', { threadId: thread, input })
    await takeTurn(process, 'thread/compact/start', { threadId: thread })
    await takeTurn(process, 'turn/start', { threadId: thread, input: [say(AFTER_COMPACTION)] })
    const fork = readId(await process.request('thread/fork', { threadId: thread, ...policy }))
    await takeTurn(process, 'turn/start', { threadId: fork, input: [say(IN_FORK)] })
    await process.end()
    return readSessions(join(run.home, '.codex', 'sessions'), '.jsonl', thread)
  },
}

const renderConfiguration = ({ upstream, project }: Run) => `model = "gpt-5-codex"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${upstream}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"
`

const say = (text: string) => ({ type: 'text', text })

function listPrompts(): object[][] {
  const options = ['left', 'right'].map((label) => ({ label, description: label }))
  const questions = [{ id: 'one', header: 'One', question: 'Which one?', options }]
  const plan = [{ step: 'look', status: 'in_progress' }]
  return [
    [say(FIRST_WORDS)],
    [say(askForCall('exec_command', { cmd: 'cat a.txt' }))],
    [say(askForCall('exec_command', { cmd: `touch ${REFUSED}` }))],
    [say(askForCall('update_plan', { plan }))],
    [say(askForCall('request_user_input', { questions }))],
    [say(askForCall('spawn_agent', { message: 'Look around.', task_name: 'look' }))],
    [say('What is in this picture?'), { type: 'image', url: `data:image/png;base64,${PICTURE}` }],
  ]
}

async function takeTurn(process: LineProcess, method: string, params: object): Promise<void> {
  const done = process.next((line) => line.method === 'turn/completed')
  await process.request(method, params)
  await done
}

function readId(result: JsonObject): string {
  return readString(readMember(result, 'thread'), 'id') ?? ''
}

function answer({ id, method, params }: JsonObject): object | undefined {
  if (typeof method !== 'string' || id === undefined) return undefined
  const isRefused = JSON.stringify(params).includes(REFUSED)
  const result = method.endsWith('requestUserInput')
    ? { answers: { one: { answers: ['right'] } } }
    : { decision: isRefused ? 'decline' : 'accept' }
  return { jsonrpc: '2.0', id, result }
}
