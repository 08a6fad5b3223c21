import { execFileSync, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import {
  isJsonObject,
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

const MODEL = { providerID: 'fake', modelID: 'm1' }

/** By `opencode serve`, its API over HTTP. A fork of it has the same. */
export const createOpencodeDriver = (
  named: Pick<Driver, 'agent' | 'package' | 'program' | 'lacks'>,
): Driver => ({
  ...named,
  runsOnNode: false,
  async drive(run) {
    const { agent } = named
    run.write(`.config/${agent}/${agent}.json`, createConfiguration(run))
    const port = await findPort()
    const [program = '', ...words] = run.command
    const child = spawn(program, [...words, 'serve', '--port', String(port)], {
      cwd: run.project,
      env: run.environment,
      stdio: 'ignore',
      // A group of its own: the program of Kilo starts the server as another process.
      detached: true,
    })
    const call = createCaller(`http://127.0.0.1:${port}`, run.project)
    try {
      const { id, fork } = await talk(call)
      return [id, fork].map((session) =>
        execFileSync(program, [...words, 'export', session], {
          cwd: run.project,
          env: run.environment,
          encoding: 'utf8',
          maxBuffer: 1 << 26,
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      )
    } finally {
      // A request to end is not enough while it has work of its own.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    }
  },
})

export const openCode = createOpencodeDriver({
  agent: 'opencode',
  package: 'opencode-ai',
  program: 'bin/opencode.exe',
  lacks: [],
})

function createConfiguration({ upstream }: Run): object {
  const modalities = { input: ['text', 'image'], output: ['text'] }
  const m1 = {
    name: 'm1',
    limit: { context: 1_000_000, output: 8000 },
    attachment: true,
    modalities,
  }
  const options = { baseURL: `${upstream}/v1`, apiKey: 'x' }
  return {
    model: 'fake/m1',
    small_model: 'fake/m1',
    autoupdate: false,
    share: 'disabled',
    permission: { bash: 'ask', edit: 'allow', question: 'allow' },
    provider: { fake: { npm: '@ai-sdk/openai-compatible', name: 'fake', options, models: { m1 } } },
  }
}

type Call = (method: string, path: string, body?: object) => Promise<unknown>

function createCaller(address: string, directory: string): Call {
  return async (method, path, body) => {
    const query = `directory=${encodeURIComponent(directory)}`
    const response = await fetch(`${address}${path}?${query}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`OpenCode: ${method} ${path} gave ${response.status}: ${text.slice(0, 500)}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

async function talk(call: Call): Promise<{ readonly id: string; readonly fork: string }> {
  await waitForServer(call)
  const watch = new AbortController()
  const watching = answerQuestions(call, watch.signal)
  const open = async (path: string) => readString(await call('POST', path, {}), 'id') ?? ''
  const id = await open('/session')
  const prompt = (session: string, parts: readonly object[]) =>
    call('POST', `/session/${session}/message`, { model: MODEL, parts })
  for (const parts of listPrompts()) await prompt(id, parts)
  await call('POST', `/session/${id}/summarize`, MODEL)
  await prompt(id, [say(AFTER_COMPACTION)])
  const fork = await open(`/session/${id}/fork`)
  await prompt(fork, [say(IN_FORK)])
  watch.abort()
  await watching
  return { id, fork }
}

const say = (text: string) => ({ type: 'text', text })

function listPrompts(): object[][] {
  const options = ['left', 'right'].map((label) => ({ label, description: label }))
  const questions = [{ question: 'Which one?', header: 'One', options }]
  const url = `data:image/png;base64,${PICTURE}`
  return [
    [say(FIRST_WORDS)],
    [say(askForCall('bash', { command: 'cat a.txt', description: 'Show it' }))],
    [say(askForCall('write', { filePath: 'b.txt', content: 'hello\n' }))],
    [say(askForCall('bash', { command: `echo ${REFUSED}`, description: 'Not wanted' }))],
    [
      say(
        askForCall('todowrite', {
          todos: [{ content: 'x', status: 'pending', priority: 'high', id: '1' }],
        }),
      ),
    ],
    [say(askForCall('question', { questions }))],
    [
      say(
        askForCall('task', {
          description: 'Look',
          prompt: 'Look around.',
          subagent_type: 'general',
        }),
      ),
    ],
    [
      say('What is in this picture?'),
      { type: 'file', mime: 'image/png', filename: 'point.png', url },
    ],
  ]
}

/** Answers what it asks the user, until the signal. */
async function answerQuestions(call: Call, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { id, ...asked } of await list(call, '/permission')) {
      const reply = JSON.stringify(asked).includes(REFUSED) ? 'reject' : 'once'
      await call('POST', `/permission/${String(id)}/reply`, { reply })
    }
    for (const { id } of await list(call, '/question')) {
      await call('POST', `/question/${String(id)}/reply`, { answers: [['right']] })
    }
    await wait(200)
  }
}

async function list(call: Call, path: string): Promise<JsonObject[]> {
  const found = await call('GET', path)
  return Array.isArray(found) ? found.filter(isJsonObject) : []
}

async function waitForServer(call: Call): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await call('GET', '/config')
      return
    } catch (error) {
      if (attempt === 240) throw error
      await wait(500)
    }
  }
}

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = readMember(toObject(server.address()), 'port')
  await new Promise((resolve) => server.close(resolve))
  return Number(port)
}
