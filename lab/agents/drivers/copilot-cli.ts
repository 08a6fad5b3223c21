import { join } from 'node:path'
import { answerPermission, say } from '../client-protocol.ts'
import {
  AFTER_COMPACTION,
  askForCall,
  type Driver,
  FIRST_WORDS,
  PICTURE,
  REFUSED,
} from '../driver.ts'
import { readSessions } from '../find-sessions.ts'
import { startLines } from '../line-process.ts'

/** By `--acp`, the Agent Client Protocol, with a provider of its user instead of a login. */
export const copilotCli: Driver = {
  agent: 'copilot-cli',
  package: '@github/copilot',
  program: 'npm-loader.js',
  runsOnNode: true,
  // By this protocol it asks no questions and forks nothing.
  lacks: ['a question', 'a fork'],
  async drive(run) {
    const { project, upstream, environment } = run
    const own = {
      ...run,
      environment: {
        ...environment,
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PROVIDER_BASE_URL: `${upstream}/v1`,
        COPILOT_PROVIDER_API_KEY: 'made-up',
        COPILOT_MODEL: 'claude-sonnet-4.5',
      },
    }
    const process = startLines(own, ['--acp'], answerPermission)
    await process.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const opened = await process.request('session/new', { cwd: project, mcpServers: [] })
    const sessionId = String(opened.sessionId)
    for (const prompt of listPrompts(project))
      await process.request('session/prompt', { sessionId, prompt })
    await process.end()
    return readSessions(join(run.home, '.copilot', 'session-state'), 'events.jsonl', sessionId)
  },
}

function listPrompts(project: string): object[][] {
  return [
    [say(FIRST_WORDS)],
    [say(askForCall('bash', { command: 'cat a.txt', description: 'Show it' }))],
    [say(askForCall('view', { path: join(project, 'a.txt') }))],
    [say(askForCall('create', { path: join(project, 'b.txt'), file_text: 'hello\n' }))],
    [say(askForCall('bash', { command: `touch ${REFUSED}`, description: 'Not wanted' }))],
    [
      say(
        askForCall('task', {
          description: 'Look',
          prompt: 'Look around.',
          agent_type: 'explore',
          name: 'look',
        }),
      ),
    ],
    [say('What is in this picture?'), { type: 'image', mimeType: 'image/png', data: PICTURE }],
    [say('/compact')],
    [say(AFTER_COMPACTION)],
  ]
}
