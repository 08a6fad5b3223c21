import { join } from 'node:path'
import { answerPermission, say } from '../client-protocol.ts'
import {
  AFTER_COMPACTION,
  askForCall,
  type Driver,
  FIRST_WORDS,
  IN_FORK,
  PICTURE,
  REFUSED,
} from '../driver.ts'
import { readSessions } from '../find-sessions.ts'
import { MOST_WAIT_MS, startLines } from '../line-process.ts'

/** By `--acp`, the Agent Client Protocol. */
export const qwenCode: Driver = {
  agent: 'qwen-code',
  package: '@qwen-code/qwen-code',
  program: 'cli.js',
  runsOnNode: true,
  lacks: [],
  async drive(run) {
    run.write('.qwen/settings.json', {
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    })
    const { project, upstream, environment } = run
    const own = {
      ...run,
      environment: { ...environment, OPENAI_BASE_URL: `${upstream}/v1`, OPENAI_MODEL: 'm1' },
    }
    const process = startLines(own, ['--acp', '--auth-type', 'openai'], (request) =>
      answerPermission(request, { answers: { 0: 'right' } }),
    )
    await process.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const opened = await process.request('session/new', { cwd: project, mcpServers: [] })
    const sessionId = String(opened.sessionId)
    for (const prompt of listPrompts(project))
      await process.request('session/prompt', { sessionId, prompt })
    await process.end()
    const words = ['--auth-type', 'openai', '--resume', sessionId, '--fork-session', '-p', IN_FORK]
    await startLines(own, words, () => undefined).end(MOST_WAIT_MS)
    return readSessions(join(run.home, '.qwen', 'projects'), '.jsonl', sessionId)
  },
}

function listPrompts(project: string): object[][] {
  const options = ['left', 'right'].map((label) => ({ label, description: label }))
  const questions = [{ question: 'Which one?', header: 'One', multiSelect: false, options }]
  return [
    [say(FIRST_WORDS)],
    [
      say(
        askForCall('run_shell_command', {
          command: 'cat a.txt',
          description: 'Show it',
          is_background: false,
        }),
      ),
    ],
    [say(askForCall('read_file', { file_path: join(project, 'a.txt') }))],
    [say(askForCall('write_file', { file_path: join(project, 'b.txt'), content: 'hello\n' }))],
    [
      say(
        askForCall('run_shell_command', {
          command: `touch ${REFUSED}`,
          description: 'Not wanted',
          is_background: false,
        }),
      ),
    ],
    [say(askForCall('ask_user_question', { questions }))],
    [
      say(
        askForCall('agent', {
          description: 'Look',
          prompt: 'Look around.',
          subagent_type: 'general-purpose',
        }),
      ),
    ],
    [say('What is in this picture?'), { type: 'image', mimeType: 'image/png', data: PICTURE }],
    [say('/compress')],
    [say(AFTER_COMPACTION)],
  ]
}
