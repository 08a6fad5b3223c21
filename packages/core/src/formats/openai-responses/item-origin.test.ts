import { describe, expect, test } from 'vitest'
import type { ContentPart } from '../../conversation/message.ts'
import { findItemOrigin } from './item-origin.ts'

const text = (value: string): ContentPart => ({ type: 'text', text: value })
const origin = (...texts: string[]) => findItemOrigin({}, texts.map(text))
const environment = '<environment_context>\n<cwd>/x</cwd>\n</environment_context>'
const agents = '# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe\n</INSTRUCTIONS>'
const aborted = '<turn_aborted>\nstopped\n</turn_aborted>'
const skill = '<skill>\n<name>x</name>\n</skill>'

describe('findItemOrigin', () => {
  test.each([environment, agents, '<user_instructions>\nbe\n</user_instructions>'])(
    '%s is of the surroundings',
    (told) => {
      expect(origin(told)).toBe('environment')
    },
  )

  test.each([
    aborted,
    skill,
    '<subagent_notification>\n{}\n</subagent_notification>',
    '<user_shell_command>\nls\n</user_shell_command>',
    '<hook_prompt id="1">go on</hook_prompt>',
  ])('%s is a notice', (notice) => {
    expect(origin(notice)).toBe('synthetic')
  })

  test.each([
    'fix it',
    '',
    'why is <environment_context> in my prompt?',
    '<environment_contexts>x</environment_context>',
    '<div>my markup</div>',
    '<skill>never closed',
  ])('%j is the person’s', (typed) => {
    expect(origin(typed)).toBe('user')
  })

  test('one typed text makes the whole item the person’s, and one notice a notice', () => {
    expect(origin(agents, environment, ' ')).toBe('environment')
    expect(origin(environment, skill)).toBe('synthetic')
    expect(origin(environment, aborted)).toBe('synthetic')
    expect(origin(environment, skill, 'fix it')).toBe('user')
    expect(
      findItemOrigin({}, [text(environment), { type: 'image', mediaType: 'image/png', bytes: 1 }]),
    ).toBe('user')
  })

  test.each([
    [['agents_md.instructions', 'environments.environment_context'], 'environment'],
    [['compaction.summary'], 'synthetic'],
    [['agents_md.instructions', 'user.text'], 'user'],
    [['unknown'], 'user'],
    [[], 'user'],
  ])('blocks that Codex calls %j are %s', (kinds, expected) => {
    const item = { internal_chat_message_metadata_passthrough: { content_item_kinds: kinds } }
    expect(findItemOrigin(item, [text('words')])).toBe(expected)
  })
})
