import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  system,
} from '../conversation/histories.suite.ts'
import type {
  ContentPart,
  Conversation,
  MediaPart,
  Message,
  Protocol,
} from '../conversation/message.ts'
import { listMedia, type RequestLimits } from '../conversation/request-limits.ts'
import { hasWords } from '../conversation/turns.ts'
import { findModel } from '../models/find-model.ts'
import { findRequestLimits } from '../models/request-limits.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { checkLimits, findUncounted } from './check-limits.ts'
import { compressConversation } from './compress-conversation.ts'
import { lighten } from './lighten.ts'
import { findLimitsOf, findRequestExcess } from './limits.ts'

const image = (width = 600, height = 400, bytes = 30_000): MediaPart => ({
  type: 'image',
  mediaType: 'image/png',
  bytes,
  width,
  height,
})
const pdf = (pages: number): MediaPart => ({
  type: 'file',
  mediaType: 'application/pdf',
  bytes: pages * 1_000,
  pages,
})

/** A picture or a document in the result of each call. */
function look(
  media: readonly ContentPart[],
  model = 'claude-opus-4-5',
  protocol: Protocol = 'anthropic-messages',
) {
  const messages = media.flatMap((part, index): Message[] => [
    agent(`Page ${index}.`, `c${index}`),
    {
      role: 'tool',
      origin: 'environment',
      parts: [
        {
          type: 'tool-result',
          callId: `c${index}`,
          output: [{ type: 'text', text: 'shot' }, part],
          isError: false,
        },
      ],
    },
  ])
  const ended = [
    person('Look at every page.'),
    ...messages,
    agent('Done.'),
    person('Now write the report.'),
  ]
  return { ...conversationOf(ended, protocol), model }
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
const limitsOf = (conversation: Conversation) =>
  findLimitsOf(conversation, findModel(conversation.model ?? ''))
const check = (conversation: Conversation, limits = limitsOf(conversation)) =>
  checkLimits(conversation, limits)
const mend = (conversation: Conversation, limits = limitsOf(conversation)) =>
  lighten(conversation, limits, createTokenCounter(findModel(conversation.model ?? '')))
const countLeft = ({ messages }: Conversation) => listMedia(messages).length
const texts = ({ messages }: Conversation) => JSON.stringify(messages)

describe('what a request may have', () => {
  test.each<[string, RequestLimits]>([
    ['claude-opus-4-5', { media: 100 }],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', { media: 100 }],
    ['claude-sonnet-4-5[1m]', { media: 600 }],
    ['claude-opus-4-8', { media: 600 }],
    ['gpt-5.6', { images: 1_500, bytes: 512_000_000 }],
    ['gemini-3-pro-preview', { images: 3_600, pages: 1_000, bytes: 100_000_000 }],
  ])('is known of %s', (id, limits) => {
    expect(findRequestLimits(findModel(id))).toMatchObject(limits)
  })

  test('follows the window that it has to fit, and is unknown of others', () => {
    expect(findRequestLimits(findModel('claude-opus-4-8'), 200_000).media).toBe(100)
    expect(findRequestLimits(findModel('my-own-model'))).toEqual({})
    const { model: _, ...unnamed } = look([])
    expect(findLimitsOf(unnamed, findModel(''))).toMatchObject({ media: 100 })
    expect(findLimitsOf({ ...unnamed, protocol: 'openai-chat' }, findModel(''))).toEqual({})
  })
})

describe('checking', () => {
  test('names the message where images are too many, and each that is too large by itself', () => {
    expect(check(look(times(100, () => image())))).toEqual([])
    expect(check(look(times(107, () => image())))).toEqual([
      {
        rule: 'too-many-images',
        message: 202,
        detail: '107 images and 0 pages of documents, 100 are allowed together',
      },
    ])
    expect(check(look([image(), image(9_000, 20)]))).toEqual([
      {
        rule: 'image-too-large',
        message: 4,
        detail: 'an image of 9,000×20 pixels, 8,000 a side are allowed',
      },
    ])
    expect(check(look([image(100, 100, 9_000_000)]))).toMatchObject([
      { rule: 'image-too-large', message: 2 },
    ])
  })

  test('allows less of each image where there are many', () => {
    const seen = (count: number) => look(times(count, (index) => image(index === 12 ? 2_162 : 600)))
    expect(check(seen(20))).toEqual([])
    expect(check(seen(21))).toMatchObject([{ rule: 'image-too-large', message: 26 }])
  })

  test('counts pages with images, and those of one document', () => {
    expect(check(look([pdf(60), pdf(40)]))).toEqual([])
    expect(check(look([pdf(140)]))).toMatchObject([{ rule: 'document-too-long', message: 2 }])
    expect(check(look([pdf(60), image(), pdf(60)]))).toMatchObject([
      { rule: 'too-many-images', message: 6 },
    ])
    expect(check(look([pdf(1_001)], 'gemini-3-pro-preview', 'gemini-contents'))).toMatchObject([
      { rule: 'document-too-long', message: 2 },
    ])
  })

  test('estimates the pages of a PDF without a known number by its size, and never refuses it alone', () => {
    const { pages: _, ...encrypted } = pdf(1)
    expect(check(look([encrypted, pdf(60), image(), pdf(60)]))).toMatchObject([
      { detail: '1 images and about 121 pages of documents, 100 are allowed together' },
    ])
    const large = { ...encrypted, bytes: 12_000_000 }
    expect(check(look([large, image()]))).toMatchObject([
      { detail: '1 images and about 120 pages of documents, 100 are allowed together' },
    ])
    expect(check(look([large])).filter(({ rule }) => rule === 'document-too-long')).toEqual([])
    expect(countLeft(mend(look([large, image()])))).toBe(1)
    const unknown = look([pdf(3), encrypted])
    expect(findUncounted(unknown, limitsOf(unknown))).toEqual([4])
    expect(findUncounted(unknown, {})).toEqual([])
  })

  test('names the largest where the bytes of all are too many', () => {
    const large = look(times(34, (index) => image(600, 400, index === 3 ? 900_000 : 800_000)))
    expect(check(large)).toMatchObject([{ rule: 'request-too-large', message: 8 }])
  })
})

describe('mending', () => {
  test('takes the oldest away until there are no longer too many, and changes nothing else', () => {
    const given = look(times(107, () => image()))
    const mended = mend(given)
    expect(check(mended)).toEqual([])
    expect(countLeft(mended)).toBe(100)
    expect(mended.messages.slice(15)).toEqual(given.messages.slice(15))
    expect(mend(mended)).toBe(mended)
  })

  test('says of one that is too large how it can be seen again', () => {
    expect(texts(mend(look([image(9_000, 20)])))).toContain(
      'look at it again with at most 8,000 pixels a side',
    )
    expect(texts(mend(look([pdf(140)])))).toContain(
      '140 pages, 137 KB: too large for a request, cleared; read at most 100',
    )
    expect(texts(mend(look([image(20, 20, 9_000_000)])))).toContain(
      'look at it again smaller, or as a JPEG',
    )
  })

  test('among many images takes the large ones away, or the oldest where that takes fewer', () => {
    const few = mend(look(times(30, (index) => image(index < 2 ? 2_162 : 600))))
    expect(countLeft(few)).toBe(28)
    expect(check(few)).toEqual([])
    const screens = mend(look(times(22, () => image(2_880, 1_800))))
    expect(countLeft(screens)).toBe(20)
    expect(check(screens)).toEqual([])
  })

  test('keeps an image that the agent has not seen yet, however large it is among many', () => {
    const given = look(times(30, (index) => image(index === 29 ? 2_162 : 600)))
    const mended = mend({ ...given, messages: given.messages.slice(0, -2) })
    expect(check(mended)).toEqual([])
    expect(listMedia(mended.messages).at(-1)?.media.width).toBe(2_162)
  })

  test('takes from the last request at the very end, and never from the system prompt', () => {
    const asked = {
      ...person('Compare these.'),
      parts: [...person('Compare these.').parts, image(), image()],
    }
    const given = {
      ...conversationOf([system('x'), person('a'), agent('b'), asked]),
      model: 'my-own-model',
    }
    expect(countLeft(mend(given, { images: 1 }))).toBe(1)
    const prompt = { ...system('x'), parts: [image()] } as Message
    expect(mend(conversationOf([prompt, person('a')]), { images: 0 }).messages[0]).toBe(prompt)
  })
})

describe('compressing', () => {
  test('keeps the limits of the provider by itself, with no word lost where tokens fit', async () => {
    const given = look(times(107, () => image()))
    const { outcome, conversation, report } = await compressConversation(given, {
      budgetTokens: 200_000,
    })
    expect(outcome.type).toBe('compressed')
    expect(report.rungs.map(({ name }) => name)).toEqual(['clear-images'])
    expect(countLeft(conversation)).toBe(100)
  })

  test('leaves a request alone that keeps them, or that has none', async () => {
    const within = look(times(100, () => image()))
    expect((await compressConversation(within, { budgetTokens: 200_000 })).conversation).toBe(
      within,
    )
    const given = look(times(107, () => image()))
    const without = await compressConversation(given, { budgetTokens: 200_000, requestLimits: {} })
    expect(without.conversation).toBe(given)
  })

  test('loses no word beside an image that goes, and takes its line for no word', async () => {
    const show = (index: number): Message[] => [
      { ...person(''), parts: [{ type: 'text', text: `Look at page ${index}.` }, image()] },
      agent('Seen.'),
    ]
    const alone: Message[] = [{ ...person(''), parts: [image()] }, agent('Seen.')]
    const given = {
      ...look([]),
      messages: [...alone, ...times(107, show).flat(), person('Report.')],
    }
    const { report, conversation } = await compressConversation(given, { budgetTokens: 200_000 })
    expect(report.receipt.words).toMatchObject({ total: 108, verbatim: 108, missing: 0 })
    expect(hasWords(conversation.messages[0]!)).toBe(false)
    expect(texts(conversation)).toContain('[image image/png 600×400, 30 KB: cleared]')
  })

  test('takes icons away too, whose line of text is longer than they are', async () => {
    const given = look(times(120, () => image(16, 16, 200)))
    const { outcome, conversation } = await compressConversation(given, { budgetTokens: 200_000 })
    expect(outcome.type).toBe('compressed')
    expect(countLeft(conversation)).toBe(100)
  })

  test('keeps limits and budget together, and a small saving counts where a limit was broken', {
    tags: 'slow',
  }, async () => {
    const given = { ...look(times(107, () => image())), tools: [] }
    const long = { ...given, messages: [...exchanges(400), ...given.messages] }
    const { conversation, report } = await compressConversation(long, { budgetTokens: 20_000 })
    expect(report.after.tokens).toBeLessThanOrEqual(20_000)
    expect(findRequestExcess(conversation, limitsOf(long))).toBeUndefined()
    const { outcome } = await compressConversation(given, {
      budgetTokens: 200_000,
      targetTokens: 150_000,
      triggerTokens: 160_000,
    })
    expect(outcome.type).toBe('compressed')
  })

  test('refuses where what is in the way is no text', async () => {
    const prompt = { ...system('x'), parts: [image(), image()] } as Message
    const given = conversationOf([prompt, ...exchanges(3)])
    const { outcome } = await compressConversation(given, { budgetTokens: 50_000, budgetImages: 1 })
    expect(outcome).toMatchObject({
      type: 'cannot-fit',
      refusal: { limit: 'images', item: 'the system prompt' },
    })
  })
})
