import { describe, expect, test } from 'vitest'
import { readText, type ToolMessage } from '../../conversation/message.ts'
import { isSummary } from '../../conversation/summary-message.ts'
import { readOutput } from '../shared/format.suite.ts'
import { codex } from './codex.ts'
import {
  answered,
  developer,
  document,
  environment,
  event,
  indexOf,
  item,
  kinds,
  LINES,
  line,
  meta,
  newSession,
  payloads,
  readLines,
  SESSION,
  said,
  shape,
  summarize,
  turnContext,
  userItem,
} from './session.suite.ts'

describe('codex, edited and written', () => {
  test('puts a summary in the place of a span and leaves out what showed it', () => {
    const conversation = codex.parse(SESSION)
    const compressed = summarize(
      conversation,
      indexOf(conversation, 'first'),
      indexOf(conversation, 'second'),
    )
    const output = codex.serialize(compressed, newSession)
    expect(kinds(output)).toEqual([
      'session_meta',
      'turn_context',
      'response_item',
      'response_item',
      'event task_started',
      'response_item',
      'event user_message',
      'response_item',
      'response_item',
      'event patch_apply_end',
      'response_item',
      'response_item',
      'event agent_message',
      'response_item',
      'event task_complete',
    ])
    const again = codex.parse(readOutput(output))
    expect(shape(again)).toEqual(shape(compressed))
    expect(again.messages.filter(isSummary)).toHaveLength(1)
  })

  test('holds nothing of what Codex tells anew, and the newest turn context', () => {
    const update = item(userItem('<environment_context>\n<date>2</date>\n</environment_context>'))
    const state = (full: boolean) => line('world_state', { full })
    const told = [developer, environment, state(true), turnContext(1)]
    const record = line('token_usage_record', { usage: {} })
    const lines = [
      meta(),
      ...told,
      ...said('first'),
      ...answered('on'),
      update,
      state(false),
      turnContext(3),
      record,
    ]
    for (const more of [
      [],
      [line('compacted', { message: '', replacement_history: [userItem('kept')] })],
    ]) {
      const conversation = codex.parse(document([...lines, ...said('third'), ...more]))
      const output = readOutput(codex.serialize(summarize(conversation, 0, 1), newSession))
      expect(output).not.toMatch(/environment_context|permissions|world_state|token_usage/)
      expect(
        readLines(output).flatMap(({ type, payload }) =>
          type === 'turn_context' ? [payload.model] : [],
        ),
      ).toEqual(['gpt-3'])
      expect(codex.parse(output)).toMatchObject({ model: 'gpt-3', workingDirectory: '/repo/sub' })
    }
  })

  test('takes items out of a compaction with their bytes', () => {
    const history =
      '[ {"role":"user", "type":"message","content":[{"text":"caf\\u00e9","type":"input_text"}]} ]'
    const compacted = `{"timestamp":"2026","type":"compacted","payload":{"message":"","replacement_history":${history}}}`
    const text = document([meta(), ...said('gone'), compacted, ...answered('on')])
    for (const input of [text, new TextEncoder().encode(text)]) {
      const conversation = codex.parse(input)
      const messages = conversation.messages.slice(0, 1)
      const output = codex.serialize({ ...conversation, messages }, newSession)
      const written =
        typeof output === 'string' ? output : new TextDecoder().decode(output as Uint8Array)
      expect(written).toContain(`"type":"response_item","payload":${history.slice(2, -2)}}\n`)
      expect(written).not.toContain('gone')
      expect(written).not.toContain('compacted')
    }
  })

  test('shortens an output and the copy that shows it, and nothing else', () => {
    const conversation = codex.parse(SESSION)
    const messages = conversation.messages.map((message) =>
      message.role === 'tool' ? clip(message) : message,
    )
    const output = readOutput(codex.serialize({ ...conversation, messages }, newSession))
    expect(output).not.toContain('A'.repeat(20))
    expect(payloads(output).find(({ call_id, output: text }) => call_id === 'a' && text)).toEqual({
      type: 'function_call_output',
      call_id: 'a',
      output: 'cut',
    })
    expect(
      readLines(output).find(
        ({ payload }) => payload.type === 'exec_command_end' && payload.call_id === 'b',
      )?.payload,
    ).toEqual({
      type: 'exec_command_end',
      call_id: 'b',
      stdout: '',
      stderr: '',
      aggregated_output: 'cut',
      formatted_output: '',
      exit_code: 0,
    })
    expect(payloads(output).map(({ type }) => type)).toContain('ghost_snapshot')
    expect(payloads(output).find(({ type }) => type === 'custom_tool_call')).toEqual(
      payloads(SESSION).find(({ type }) => type === 'custom_tool_call'),
    )
  })

  test('shows a rewritten answer as it was rewritten', () => {
    const conversation = codex.parse(SESSION)
    const messages = conversation.messages.map((message) =>
      readText(message) === 'done' && message.role === 'assistant'
        ? {
            ...message,
            parts: message.parts.map((part) =>
              part.type === 'text' ? { ...part, text: 'ok' } : part,
            ),
          }
        : message,
    )
    const output = codex.serialize({ ...conversation, messages })
    expect(
      readLines(output).flatMap(({ payload }) =>
        payload.type === 'agent_message' ? [payload.message] : [],
      ),
    ).toEqual(['looking', 'ok', 'patched'])
    expect(
      payloads(output).find(({ content }) => JSON.stringify(content)?.includes('"ok"')),
    ).toEqual({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'ok' }],
      phase: 'commentary',
    })
    expect(readLines(output)[0]?.payload.id).toBe('old-id')
  })

  test('is listed under its title when no request is left', () => {
    const conversation = codex.parse(SESSION)
    const output = codex.serialize(
      summarize(conversation, 0, conversation.messages.length),
      newSession,
    )
    expect(kinds(output)).toEqual([
      'session_meta',
      'turn_context',
      'event user_message',
      'response_item',
      'response_item',
    ])
    expect(readLines(output)[2]?.payload.message).toBe('Compressed')
  })

  test('numbers its lines where the original does, and names the new thread', () => {
    const numbered = LINES.map((text, ordinal) => JSON.stringify({ ordinal, ...JSON.parse(text) }))
    const shown = {
      thread_id: 'old-id',
      item: { type: 'UserMessage', id: 'i', content: [{ type: 'text', text: 'fourth' }] },
    }
    numbered.push(JSON.stringify({ ordinal: 90, ...JSON.parse(item(userItem('fourth'))) }))
    numbered.push(JSON.stringify({ ordinal: 91, ...JSON.parse(event('item_completed', shown)) }))
    const conversation = codex.parse(document(numbered))
    const output = readLines(codex.serialize(summarize(conversation, 0, 6), newSession))
    expect(output.map(({ ordinal }) => ordinal)).toEqual(output.map((_, index) => index))
    expect(output.find(({ payload }) => payload.type === 'item_completed')?.payload.thread_id).toBe(
      'new-id',
    )
    const untitled = readLines(
      codex.serialize(summarize(conversation, 0, conversation.messages.length), newSession),
    )
    expect(untitled[2]?.payload).toMatchObject({
      type: 'item_completed',
      item: { type: 'UserMessage' },
    })
  })

  test('keeps the line break of the original and ends its last line', () => {
    const text = document(LINES, '\r\n').trimEnd()
    const conversation = codex.parse(text)
    const output = readOutput(codex.serialize(summarize(conversation, 0, 6), newSession))
    expect(output.endsWith('\r\n')).toBe(true)
    expect(output.replaceAll('\r\n', '')).not.toContain('\n')
  })
})

function clip(message: ToolMessage): ToolMessage {
  return {
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'tool-result' && part.name !== 'apply_patch'
        ? { ...part, output: [{ type: 'text', text: 'cut' }] }
        : part,
    ),
  }
}
