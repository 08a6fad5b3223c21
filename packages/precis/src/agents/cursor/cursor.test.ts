import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMemorySource } from '../../files/read-document.ts'
import { describeSession } from '../../sessions/describe-session.ts'
import { listSessionFiles } from '../../sessions/find-sessions.ts'
import { useScratchHome } from '../scratch-home.suite.ts'
import { cursor } from './cursor.ts'

const home = useScratchHome()

const ID = '0c0ffee0-1111-4222-8333-444444444444'
const line = (text: string) =>
  `${JSON.stringify({ role: 'user', message: { content: [{ type: 'text', text }] } })}\n`

test('a transcript has the folder that Cursor trusted, and those of sub-agents are not listed', () => {
  const project = '.cursor/projects/work-shop'
  const folder = `${project}/agent-transcripts/${ID}`
  const words =
    '<timestamp>Monday, Jun 1, 2026, 9:05 AM (UTC+2)</timestamp>\n<user_query>\nFind it\n</user_query>'
  home.write(`${folder}/${ID}.jsonl`, line(words))
  home.write(`${folder}/subagents/1c0ffee0-1111-4222-8333-444444444444.jsonl`, line('look'))
  home.write(`${project}/terminals/${ID}.jsonl`, line('look'))
  home.write(`${project}/.workspace-trusted`, JSON.stringify({ workspacePath: '/work/shop' }))
  const listed = listSessionFiles([cursor], {}).map(describeSession)
  expect(listed).toMatchObject([
    {
      id: ID,
      path: join(home.path, folder, `${ID}.jsonl`),
      workingDirectory: '/work/shop',
      firstPrompt: 'Find it',
    },
  ])
})

test('the times are those before the words of the user', () => {
  const at = (time: string) => line(`<timestamp>${time}</timestamp>\n<user_query>x</user_query>`)
  const read = (...lines: string[]) =>
    cursor.readTimes(createMemorySource(Buffer.from(lines.join(''))))
  expect(
    read(
      at('Wednesday, Sep 16, 2026, 3:37 PM (UTC-4)'),
      at('Thursday, Sep 17, 2026, 12:05 AM (UTC+5:30)'),
    ),
  ).toEqual({ start: new Date('2026-09-16T18:35:00Z'), end: new Date('2026-09-16T19:37:00Z') })
  expect(read(at('some day'), line('<timestamp>'))).toBeUndefined()
})
