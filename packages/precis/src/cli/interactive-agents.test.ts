/**
 * Compactions in the real agents, as people use them: with calls of tools, hooks of the user and of
 * precis, reminders. A script plays the model (scripted-model.suite.ts).
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createHome, startPrecis } from './command.suite.ts'
import {
  HOOK,
  interactiveAgents,
  prepareHome,
  startInteractive,
} from './interactive-agents.suite.ts'
import {
  AGENTS_BIN,
  installAgents,
  type ScriptedModel,
  startModel,
} from './scripted-model.suite.ts'

const FIRST = 'Never touch LOCKED.txt.'
const LAST = 'And now the last one.'

beforeAll(installAgents, 600_000)

describe('an interactive agent behind precis', { tags: 'agents' }, () => {
  test.each(interactiveAgents)(
    '%s has five compactions in a row answered, and every word of the user there, once',
    async (_, interactive) => {
      const model = await startModel({ reportedTokens: 20_000, lines: 5 })
      const home = createHome()
      await prepareHome(home, interactive)
      const session = await startInteractive(home, interactive, model)
      const said = [`${FIRST} RUN(cat file0.txt)`]
      await session.say(said[0] ?? '')
      for (let round = 1; round <= 5; round++) {
        // One compaction right after a call of a tool, and one after more turns.
        const turns = [`Round ${round} goes on. RUN(cat file${round}.txt)`]
        if (round % 2 === 0) turns.unshift(`Round ${round} begins.`)
        for (const words of turns) await session.say(words)
        said.push(...turns)
        await session.compact()
      }
      await session.say(LAST)
      const body = expectOnce(model, [...said, LAST])
      expect(body).toMatch(/under reference [0-9a-f]+: .{1,100}, call \S*recall with /)
      const asked = model.listAsked().map(({ received }) => String(received.body))
      expect(asked.some((text) => text.includes(HOOK))).toBe(true)
      await session.end()
      // The hook, if there is one, kept each session, and the gateway each request.
      const { stdout } = await startPrecis(home, ['archive', '--json'])
      const each = interactive.hasPlugin ? 1 : 2
      expect(JSON.parse(stdout).entries).toHaveLength(each * 5)
    },
  )

  test.each(interactiveAgents)(
    'a session that %s compacted three times is compressed, continued, undone and compacted again, with every word of the user there, once',
    async (_, interactive) => {
      const model = await startModel({ reportedTokens: 20_000, lines: 40 })
      const home = createHome()
      await prepareHome(home, interactive)
      const session = await startInteractive(home, interactive, model)
      const said: string[] = []
      const say = async (words: string, to = session) => {
        said.push(words)
        await to.say(words)
      }
      await say(`${FIRST} RUN(cat file0.txt)`)
      for (let round = 1; round <= 3; round++) {
        await say(`Round ${round} goes on. RUN(cat file${round}.txt)`)
        await session.compact()
      }
      await say('Read one more. RUN(cat file4.txt)')
      await say('And one more after that. RUN(cat file5.txt)')
      await session.end()

      const compressed = await runJson(home, ['compress', await findSession(home), '-b', '40%'])
      expect(compressed.receipt.words).toMatchObject({ missing: 0 })
      const words = resume(home, compressed)
      const resumed = await startInteractive(home, interactive, model, words)
      await say('After the compression.', resumed)
      expectOnce(model, said)
      await resumed.end()

      const undone = await runJson(home, ['undo', words.at(-1) ?? ''])
      const returned = await startInteractive(home, interactive, model, resume(home, undone))
      await say('After the undo.', returned)
      expectOnce(model, said)
      await returned.end()

      // The compressed session is still there. Gemini CLI 0.61 has deleted it: when a session starts, it
      // removes every other one that was resumed before, also where precis did not write it.
      if (interactive.name === 'gemini-cli') return
      const again = await startInteractive(home, interactive, model, words)
      await again.compact()
      said.pop()
      await say('After one more compaction.', again)
      expectWords(model, said)
    },
  )
})

/** As `expectWords`, and one summary. */
function expectOnce(model: ScriptedModel, said: readonly string[]): string {
  const body = expectWords(model, said)
  expect(body.split('<conversation-summary ')).toHaveLength(2)
  return body
}

/** The newest request with the last of these words has each of them once. */
function expectWords(model: ScriptedModel, said: readonly string[]): string {
  const asked = model.listAsked().map(({ received }) => String(received.body))
  // In addition, Codex asks for a title of the latest words.
  const bodies = asked.filter((body) => body.includes(said.at(-1) ?? ''))
  const body = bodies.toSorted((left, right) => left.length - right.length).at(-1) ?? ''
  const count = (text: string) => body.split(text).length - 1
  expect(said.map((words) => [words, count(words)])).toEqual(said.map((words) => [words, 1]))
  return body
}

async function runJson(home: string, words: readonly string[]) {
  const { stdout, stderr } = await startPrecis(home, [...words, '--json'])
  const result = JSON.parse(stdout)
  expect(result.error, stderr).toBeUndefined()
  return result
}

async function findSession(home: string): Promise<string> {
  const { sessions } = await runJson(home, ['sessions'])
  return sessions[0].path
}

/** Runs what the printed command does before it starts the agent, and gives the words of that. */
function resume(home: string, { resumeCommand }: { readonly resumeCommand: string }): string[] {
  const steps = resumeCommand.split(' && ')
  const [, ...words] = steps.at(-1)?.split(' ') ?? []
  execFileSync('sh', ['-c', [...steps.slice(0, -1), 'true'].join(' && ')], {
    cwd: join(home, 'project'),
    env: { HOME: home, PATH: `${AGENTS_BIN}:${process.env.PATH}` },
  })
  return words
}
