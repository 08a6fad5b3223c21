import { homedir } from 'node:os'
import { join } from 'node:path'
import { formats } from '@precis/core/formats'
import { expect, test } from 'vitest'
import * as pi from '../../../core/src/formats/pi/session.suite.ts'
import { asObject, asText } from '../files/lines.ts'
import { findAgentStatus } from '../installation/find-entry.ts'
import { findRecallTool } from '../installation/recall-tool.ts'
import { testAgent } from './agent.suite.ts'
import { agents } from './index.ts'
import type { Agent } from './shared/agent.ts'
import { createMcpEntry } from './shared/entry.ts'
import { changeDirectory, listFiles, uuidIds } from './shared/session-files.ts'
import { readLineHead, readLineTimes, readPrompt } from './shared/session-lines.ts'
import { splitLines } from './shared/split-lines.ts'

const findHome = () => join(homedir(), '.seventh', 'sessions')

/** An agent that precis does not know. It stores its sessions as another agent does. */
const seventh: Agent = {
  name: 'seventh',
  title: 'The seventh',
  format: formats.pi,
  ids: uuidIds,
  homeVariables: [],
  findHome,
  list: () => listFiles(findHome(), { levels: [0, 0], pattern: /^([0-9a-f-]{36})\.jsonl$/ }),
  readHead: (source) =>
    readLineHead(source, ({ type, id, cwd, message }) => ({
      sessionId: type === 'session' ? asText(id) : undefined,
      workingDirectory: asText(cwd),
      firstPrompt:
        asObject(message)?.role === 'user' ? readPrompt(asObject(message)?.content) : undefined,
    })),
  readTimes: readLineTimes,
  readRequests: () => [],
  isLog: () => true,
  splitRecords: splitLines,
  place: ({ sessionId }) => join(findHome(), `${sessionId}.jsonl`),
  resume: ({ directory, sessionId }) =>
    changeDirectory(directory, `seventh --continue ${sessionId}`),
  installation: {
    recallTool: 'precis.recall',
    bestWay: { commands: [], does: 'answers it', cost: 'no request' },
    findTraces: () => [join(homedir(), '.seventh')],
    listEntries: ({ command }) => [
      createMcpEntry(join(homedir(), '.seventh', 'mcp.json'), ['servers'], command),
    ],
  },
}

/** An agent whose sessions precis only reads. */
const eighth: Agent = {
  ...seventh,
  name: 'eighth',
  title: 'The eighth',
  format: { ...formats.pi, isReadOnly: true },
  place: undefined,
}

for (const agent of [...agents, seventh]) testAgent(agent)
testAgent(eighth, (sessionId, messages) => ({
  path: `${sessionId}.jsonl`,
  text: pi.toJsonl([
    pi.header({ id: sessionId }),
    ...messages.map(({ role, content }, index) => {
      const [id, parent] = [`m${index}`, index === 0 ? null : `m${index - 1}`]
      return role === 'user'
        ? pi.user(id, parent, [pi.text(content)])
        : pi.answer(id, parent, [pi.text(content)])
    }),
  ]),
}))

test('an agent without a place for a tool or a hook has no installation', () => {
  const { installation: _, ...bare } = seventh
  const status = findAgentStatus(bare, { program: 'node', words: ['precis.js'] })
  expect(status).toEqual({ agent: bare, isFound: false, entries: [] })
  expect(findRecallTool(bare)).toBeUndefined()
})

test('no two agents have a name in common', () => {
  const names = [...agents, seventh].flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
})
