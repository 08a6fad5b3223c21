/** The promises of every format. The test of each format makes one call. */
import { describe, expect, test } from 'vitest'
import { findNewViolations } from '../../../../../test/judge/compare-bodies.ts'
import { isObject } from '../../../../../test/judge/provider.ts'
import { providers } from '../../../../../test/judge/providers.ts'
import { repairInvariants } from '../../conversation/invariants/index.ts'
import type { Conversation, Message } from '../../conversation/message.ts'
import { readText, renderPart } from '../../conversation/message.ts'
import { detectFormat } from '../index.ts'
import { type CopySample, testChangedCopy } from './changed-copy.suite.ts'
import { type ByteSource, type Format, FormatError, type FormatOutput } from './format.ts'
import { type HostWords, testHostWords } from './host-words.suite.ts'
import { createNewSession } from './new-session.suite.ts'
import { findArrayElements } from './spans.ts'

export interface FormatSamples {
  /** Documents as text, by what they show. Each contains a message with a text of its own. */
  readonly documents: Readonly<Record<string, string>>
  /** For sessions: how their agent speaks. */
  readonly hostWords?: HostWords
  /** For sessions that are written: one with every kind of record that is not a message. */
  readonly copySample?: CopySample
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function testFormat(
  format: Format,
  { documents, hostWords, copySample }: FormatSamples,
): void {
  describe.each(Object.entries(documents))(`${format.name}: %s`, (_, document) => {
    testRoundTrip(format, document)
    if (format.isReadOnly) return testReadOnly(format, document)
    testEdits(format, document)
    testHostileMembers(format, document)
  })
  testRefusals(format)
  if (format.kind !== 'session') return
  testHostWords(format.name, hostWords)
  if (format.isReadOnly) return
  if (!copySample) throw new Error(`"copySample" is missing: a session of ${format.name}.`)
  testChangedCopy(format, copySample, readOutput)
}

function testRoundTrip(format: Format, document: string): void {
  const spellings = {
    'as it is': document,
    'with CRLF': document.replaceAll('\n', '\r\n'),
    'with a byte order mark': `\ufeff${document}`,
    'without its last line break': document.trimEnd(),
  }
  test.each(Object.entries(spellings))(
    '%s it goes out as it came in, as text, bytes and pieces',
    (_, text) => {
      expect(format.serialize(format.parse(text))).toBe(text)
      const bytes = encoder.encode(text)
      expect(format.serialize(format.parse(bytes))).toEqual(bytes)
      expect(readOutput(format.serialize(format.parse(createSource(bytes))))).toBe(text)
    },
  )

  test('it is detected as its own, as text, bytes and pieces', () => {
    for (const input of [
      document,
      encoder.encode(document),
      createSource(encoder.encode(document)),
    ]) {
      expect(detectFormat(input)).toBe(format.name)
    }
  })

  test.runIf(format.kind === 'messages')(
    'as a native value it goes out as the very object, and is detected',
    () => {
      const value: object = JSON.parse(document)
      expect(format.serialize(format.parse(value))).toBe(value)
      expect(detectFormat(value)).toBe(format.name)
    },
  )
}

function testReadOnly(format: Format, document: string): void {
  test('it is written only as it was read, and takes in no other conversation', () => {
    const conversation = format.parse(document)
    const [index = 0] = findTextMessages(conversation)
    for (const write of [
      () => format.serialize(editText(conversation, index)),
      () => format.serialize(conversation, createNewSession(format)),
    ])
      expect(write).toThrow(expect.objectContaining({ code: 'cannot-serialize' }))
    expect(format.import ?? format.append).toBeUndefined()
  })
}

function testEdits(format: Format, document: string): void {
  test('an edited message changes its records and no other', () => {
    const conversation = format.parse(document)
    const before = splitRecords(format, document)
    for (const index of findTextMessages(conversation)) {
      const { records } = conversation.messages[index]!
      if (!records?.length) continue
      const edited = editText(conversation, index)
      const output = readOutput(format.serialize(edited))
      const after = splitRecords(format, output)
      expect(after).toHaveLength(before.length)
      for (let at = 0; at < before.length; at++)
        if (!records.includes(at)) expect(after[at]).toBe(before[at])
      expect(format.parse(output).messages.map(readText)).toEqual(edited.messages.map(readText))
    }
  })

  test.runIf(format.kind === 'messages')(
    'an edit of a native value leaves the other objects what they were',
    () => {
      const value: object = JSON.parse(document)
      const before = readList(value)
      const conversation = format.parse(value)
      for (const index of findTextMessages(conversation)) {
        const { records } = conversation.messages[index]!
        if (!records?.length) continue
        const after = readList(format.serialize(editText(conversation, index)))
        for (let at = 0; at < before.length; at++)
          if (!records.includes(at)) expect(after[at]).toBe(before[at])
        expect(readList(value)).toEqual(readList(JSON.parse(document)))
      }
    },
  )

  test.runIf(format.kind === 'messages')(
    'any message may go: the others are read back as they were',
    () => {
      const conversation = format.parse(document)
      conversation.messages.forEach((_, index) => {
        const messages = conversation.messages.toSpliced(index, 1)
        const output = readOutput(format.serialize({ ...conversation, messages }))
        expect(format.parse(output).messages.map(describeMessage)).toEqual(
          messages.map(describeMessage),
        )
      })
    },
  )

  const rules = Object.entries(providers).find(([name]) => name === format.name)?.[1]
  test.runIf(rules)('whichever message is gone, its provider takes what a repair leaves', () => {
    const readBody = (text: string): unknown => {
      const value: unknown = JSON.parse(text.replace('\ufeff', ''))
      return Array.isArray(value) ? { messages: value, input: value, contents: value } : value
    }
    const before = readBody(document)
    const conversation = format.parse(document)
    conversation.messages.forEach((_, index) => {
      const messages = conversation.messages.toSpliced(index, 1)
      const after = readBody(
        readOutput(format.serialize(repairInvariants({ ...conversation, messages }))),
      )
      if (rules && isObject(before) && isObject(after))
        expect(findNewViolations(rules, before, after)).toEqual([])
    })
  })

  test('a message that precis wrote is read back', () => {
    const conversation = format.parse(document)
    const note: Message = {
      role: 'user',
      origin: 'synthetic',
      parts: [{ type: 'text', text: '\u00e9 "note"\n\ud83d\ude00' }],
    }
    const output = readOutput(
      format.serialize({ ...conversation, messages: [...conversation.messages, note] }),
    )
    expect(readText(format.parse(output).messages.at(-1)!)).toBe(readText(note))
  })
}

function testHostileMembers(format: Format, document: string): void {
  const members = {
    'an unknown member': '"x_future":[1.0,"\\u00e9",12345678901234567890]',
    'prototype keys': '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}',
    'a value 100 000 levels deep': `"x_deep":${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'a string of 4 MB': `"x_long":"${'x\\n'.repeat(1_400_000)}"`,
  }
  test.each(Object.entries(members))(
    '%s in the newest record survives, also when the message is edited',
    (_, member) => {
      const records = splitRecords(format, document)
      const conversation = format.parse(document)
      const index = findTextMessages(conversation).findLast(
        (at) => conversation.messages[at]?.records?.length,
      )
      const record = records[conversation.messages[index ?? 0]?.records?.[0] ?? 0] ?? ''
      const hostile = document.replace(record, () => record.replace('{', `{${member},`))
      const parsed = format.parse(hostile)
      expect(format.serialize(parsed)).toBe(hostile)
      const output = readOutput(format.serialize(editText(parsed, index ?? 0)))
      expect(output.includes(member)).toBe(true)
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    },
  )
}

function testRefusals(format: Format): void {
  describe(`${format.name} refuses`, () => {
    test.each([
      ['nothing', ''],
      ['white space', ' \n\t\n'],
      ['plain text', 'hello, this is not JSON'],
      ['a cut-off document', '{"messages": [{"role":'],
      ['a number', '42'],
      [
        'binary data',
        new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0xff, 0xfe]),
      ],
    ])('%s, with a reason', (_, input) => {
      expect(() => format.parse(input)).toThrow(FormatError)
      expect(format.detect(input)).toBeLessThan(0.5)
    })
  })
}

/**
 * The messages with a single text that is not a summary or a notice, so that an edit changes
 * nothing else.
 */
function findTextMessages({ messages }: Conversation): number[] {
  return messages.flatMap((message, index) =>
    message.role !== 'tool' && message.parts.some(({ type }) => type === 'text') ? [index] : [],
  )
}

function describeMessage({ role, origin, parts }: Message): unknown {
  return { role, origin, types: parts.map(({ type }) => type), text: parts.map(renderPart).join() }
}

function editText(conversation: Conversation, index: number): Conversation {
  const messages = conversation.messages.map((message, at) =>
    at === index ? appendToText(message) : message,
  )
  return { ...conversation, messages }
}

function appendToText(message: Message): Message {
  const change = <P extends Message['parts'][number]>(part: P): P =>
    part.type === 'text' ? { ...part, text: `${part.text} (edited)` } : part
  switch (message.role) {
    case 'user':
    case 'system':
      return { ...message, parts: message.parts.map(change) }
    case 'assistant':
      return { ...message, parts: message.parts.map(change) }
    case 'tool':
      return message
  }
}

function splitRecords(format: Format, text: string): string[] {
  for (const path of [['messages'], ['prompt'], ['input'], ['contents'], []]) {
    const spans = findArrayElements(text, path)
    if (spans) return spans.map(({ start, end }) => text.slice(start, end))
  }
  return format.kind === 'session' ? text.split('\n') : []
}

function readList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  const list = Object.entries(value ?? {}).find(([key]) =>
    ['messages', 'prompt', 'input', 'contents'].includes(key),
  )?.[1]
  return Array.isArray(list) ? list : []
}

export function readOutput(output: FormatOutput): string {
  if (typeof output === 'string') return output
  if (output instanceof Uint8Array) return decoder.decode(output)
  const chunks: Uint8Array[] = []
  if (Symbol.iterator in output)
    for (const chunk of output) if (chunk instanceof Uint8Array) chunks.push(chunk)
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}

export function withMessages(
  conversation: Conversation,
  messages: readonly Message[],
): Conversation {
  return { ...conversation, messages }
}

/** The first result of a message becomes "short". */
export function shortenResult(message: Message): Message {
  if (message.role !== 'tool') return message
  const [first, ...rest] = message.parts
  if (first?.type !== 'tool-result') return message
  return { ...message, parts: [{ ...first, output: [{ type: 'text', text: 'short' }] }, ...rest] }
}

/** A source whose views become invalid at the next read, as the contract allows. */
export function createSource(bytes: Uint8Array): ByteSource {
  let last = new Uint8Array(0)
  return {
    byteLength: bytes.length,
    read(start, end) {
      last.fill(0)
      last = bytes.slice(start, end)
      return last
    },
  }
}
