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

/** By `--acp`, the Agent Client Protocol. */
export const geminiCli: Driver = {
  agent: 'gemini-cli',
  package: '@google/gemini-cli',
  program: 'bundle/gemini.js',
  runsOnNode: true,
  // The protocol has no command to compact, and a history as short is left as it is.
  lacks: ['a compaction', 'a fork'],
  async drive(run) {
    run.write('.gemini/trustedFolders.json', { [run.project]: 'TRUST_FOLDER' })
    run.write('.gemini/settings.json', {
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
    })
    const process = startLines(run, ['--acp', '--model', 'gemini-2.5-pro'], answerPermission)
    await process.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await process.request('session/new', { cwd: run.project, mcpServers: [] })
    for (const prompt of listPrompts(run.project))
      await process.request('session/prompt', { sessionId, prompt })
    await process.end()
    return readSessions(join(run.home, '.gemini', 'tmp'), '.jsonl', String(sessionId).slice(0, 8))
  },
}

function listPrompts(project: string): object[][] {
  const options = ['left', 'right'].map((label) => ({ label, description: label }))
  const questions = [{ header: 'One', question: 'Which one?', type: 'choice', options }]
  return [
    [say(FIRST_WORDS)],
    [say(askForCall('run_shell_command', { command: 'cat a.txt' }))],
    [say(askForCall('read_file', { file_path: join(project, 'a.txt') }))],
    [say(askForCall('write_file', { file_path: join(project, 'b.txt'), content: 'hello\n' }))],
    [say(askForCall('run_shell_command', { command: `touch ${REFUSED}` }))],
    [say(askForCall('ask_user', { questions }))],
    [
      say(
        askForCall('invoke_agent', { agent_name: 'codebase_investigator', prompt: 'Look around.' }),
      ),
    ],
    [say('What is in this picture?'), { type: 'image', mimeType: 'image/png', data: PICTURE }],
    [say(AFTER_COMPACTION)],
  ]
}
