/** In an untrusted repository, every command runs the same as elsewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import {
  BIN,
  createClaudeSession,
  createHome,
  createUuid,
  runPrecis,
  writeFixture,
} from './command.suite.ts'

const ID = createUuid(7)

/** A repository with everything that could make precis act for the repository's author. */
function createForeignProject() {
  const home = createHome()
  const directory = join(home, 'repository')
  const ran = join(home, 'ran')
  const code = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '')`
  for (const extension of ['ts', 'js', 'mjs', 'cjs'])
    writeFixture(join(directory, `precis.config.${extension}`), code)
  const settings = {
    budget: '40%',
    archive: { enabled: false, database: 'stolen.db' },
    summarizer: {
      name: 'openai-compatible/x',
      baseUrl: 'http://127.0.0.1:9/v1',
      promptsFolder: '.',
    },
    chat: { model: 'openai-compatible/x', baseUrl: 'http://127.0.0.1:9/v1' },
    extends: './precis.config.js',
  }
  writeFixture(join(directory, 'precis.config.json'), JSON.stringify(settings))
  writeFixture(join(directory, 'package.json'), JSON.stringify({ name: 'x', precis: settings }))
  writeFixture(
    join(directory, '.env'),
    'PRECIS_DATABASE=/nowhere/stolen.db\nPRECIS_SUMMARIZER=openai/x\n',
  )
  writeFixture(join(directory, '.config/precis/config.js'), code)
  const text = createClaudeSession({ sessionId: ID, workingDirectory: directory })
  const session = writeFixture(join(home, '.claude/projects/-repository', `${ID}.jsonl`), text)
  return { home, directory, ran, session, text }
}

const NOTICE =
  /"archive", "summarizer", "chat", "extends" are ignored: a project may set strategy, budget, spend, threshold, keep/

describe('in the repository of a stranger', { timeout: 60_000 }, () => {
  test.each(
    casesOf(
      [
        ['compress', ['compress', ID, '--json']],
        ['compress --all', ['compress', '--all', '--yes', '--larger-than', '1']],
        ['clone', ['clone', ID, '--reasoning', '100']],
        ['sessions', ['sessions']],
        ['archive', ['archive']],
        ['recall', ['recall', ID, 'tax']],
        ['restore', ['restore', ID]],
        ['worker', ['worker', '--drain']],
        ['mcp --call', ['mcp', '--call', 'compress'], JSON.stringify({ session: ID })],
        ['chat', ['chat', '--demo'], 'hello\n'],
      ],
      3,
    ),
  )(
    '%s runs no code of it, names what it ignores, and keeps in the archive of the user',
    { tags: 'property' },
    async (_, words, stdin = '') => {
      const { home, directory, ran } = createForeignProject()
      const { stderr } = await runPrecis(home, words, { directory, stdin })
      expect(stderr).toMatch(NOTICE)
      expect(stderr).toContain('precis.config.ts" is not run')
      expect(existsSync(ran)).toBe(false)
      expect(existsSync(join(directory, 'stolen.db'))).toBe(false)
    },
  )

  test('a hook keeps the session in the archive of the user, whatever the environment of the agent says', async () => {
    const { home, directory, ran, session, text } = createForeignProject()
    const environment = {
      PRECIS_DATABASE: join(directory, 'stolen.db'),
      PRECIS_SUMMARIZER: 'nobody/knows',
      PRECIS_BASE_URL: 'no address',
      PRECIS_BUDGET: 'junk',
      XDG_CONFIG_HOME: '.config',
    }
    const stdin = JSON.stringify({
      hook_event_name: 'PreCompact',
      session_id: ID,
      transcript_path: session,
    })
    const hooked = await runPrecis(home, ['hook', 'claude-code'], { directory, stdin, environment })
    expect(hooked).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await runPrecis(home, ['restore', ID])).stdout).toBe(text)
    expect(readdirSync(directory)).not.toContain('stolen.db')
    expect(existsSync(ran)).toBe(false)
    const { stderr } = await runPrecis(home, ['hook', 'claude-code', '--verbose'], {
      directory,
      stdin,
      environment,
    })
    expect(stderr).toMatch(NOTICE)
    expect(stderr).toContain('PRECIS_DATABASE is ignored in a hook')
  })

  test('the MCP server compresses with the digest and the archive of the user', {
    tags: 'slow',
  }, async () => {
    const { home, directory, ran, text } = createForeignProject()
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      PRECIS_DATABASE: join(directory, 'stolen.db'),
      PRECIS_SUMMARIZER: 'openai/x',
    }
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp'],
      env,
      cwd: directory,
      stderr: 'pipe',
    })
    let said = ''
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    try {
      const { isError } = await client.callTool({ name: 'compress', arguments: { session: ID } })
      expect(isError ?? false).toBe(false)
    } finally {
      await client.close()
    }
    expect(said).toMatch(NOTICE)
    expect(said).toContain('PRECIS_SUMMARIZER, PRECIS_DATABASE is ignored here')
    expect((await runPrecis(home, ['restore', ID])).stdout).toBe(text)
    expect(existsSync(join(directory, 'stolen.db')) || existsSync(ran)).toBe(false)
  })

  test('the MCP server asks no model at an address that only the environment names', async () => {
    const { home, directory } = createForeignProject()
    writeFixture(join(home, '.config/precis/config.json'), '{"summarizer":"openai/gpt-5"}')
    const environment = {
      OPENAI_API_KEY: 'sk-of-the-user',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    }
    const stdin = JSON.stringify({ session: ID })
    const { stdout } = await runPrecis(home, ['mcp', '--call', 'compress'], {
      directory,
      stdin,
      environment,
    })
    expect(JSON.parse(stdout).error.message).toContain(
      'OPENAI_BASE_URL is set, and a project can set',
    )
    expect(readFileSync(join(directory, '.env'), 'utf8')).toContain('PRECIS_DATABASE')
  })
})
