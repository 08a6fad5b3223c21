import Anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import { ContextOverflowError } from '@langchain/core/errors'
import { OutputParserException } from '@langchain/core/output_parsers'
import {
  APICallError,
  InvalidToolInputError,
  JSONParseError,
  NoObjectGeneratedError,
  RetryError,
  TypeValidationError,
} from 'ai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { findOverflow } from './find-overflow.ts'
import { type OverflowAnswer, otherAnswers, overflowAnswers } from './overflow-answers.suite.ts'

const headers = new Headers()

const asText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** Every way an answer reaches a host. */
const carriers: Readonly<Record<string, (answer: OverflowAnswer) => unknown>> = {
  'the body': ({ status, body }) => (status === 413 ? { status, body } : body),
  'the body as text': ({ body }) => asText(body),
  'the body behind a status': ({ status, body }) => `${status ?? 400} ${asText(body)}`,
  'an error of @anthropic-ai/sdk': ({ status, body }) =>
    Anthropic.APIError.generate(
      status ?? 400,
      typeof body === 'string' ? undefined : Object(body),
      asText(body),
      headers,
    ),
  'an error of openai': ({ status, body }) =>
    OpenAI.APIError.generate(
      status ?? 400,
      typeof body === 'string' ? { error: { message: body } } : Object(body),
      asText(body),
      headers,
    ),
  'an error of @google/genai': ({ status, body }) =>
    new ApiError({ status: status ?? 400, message: asText(body) }),
  'an error of the AI SDK': ({ status, body }) => apiCallError(status, asText(body)),
  'an error of the AI SDK after its retries': ({ status, body }) =>
    new RetryError({
      message: 'Failed after 2 attempts.',
      reason: 'errorNotRetryable',
      errors: [new Error('overloaded'), apiCallError(status, asText(body))],
    }),
  'an error of axios': ({ status, body }) =>
    Object.assign(new Error('Request failed'), { response: { status: status ?? 400, data: body } }),
  'the cause of an error': ({ status, body }) =>
    new Error('The model could not answer.', { cause: apiCallError(status, asText(body)) }),
}

function apiCallError(statusCode: number | undefined, responseBody: string): APICallError {
  return new APICallError({
    message: 'Bad Request',
    url: 'https://provider.test/v1',
    requestBodyValues: {
      messages: [{ role: 'user', content: 'Why is the prompt is too long: 2 tokens > 1 maximum?' }],
    },
    statusCode: statusCode ?? 400,
    responseBody,
    isRetryable: false,
  })
}

describe.each(Object.entries(carriers))('%s', (_, carry) => {
  test.each(overflowAnswers.map((answer) => [answer.provider, answer] as const))(
    'tells the overflow of %s',
    (_, answer) => {
      expect(findOverflow(carry(answer))).toEqual(answer.expected)
    },
  )

  test.each(otherAnswers.map((answer) => [answer.provider, answer] as const))(
    'is no overflow: %s',
    (_, answer) => {
      expect(findOverflow(carry(answer))).toBeUndefined()
    },
  )
})

describe('findOverflow', () => {
  test('knows the error of LangChain and takes the numbers from its cause', () => {
    const cause = OpenAI.APIError.generate(
      400,
      Object(overflowAnswers[4]?.body),
      undefined,
      headers,
    )
    expect(findOverflow(ContextOverflowError.fromError(cause))).toEqual({
      of: 'tokens',
      limitTokens: 8192,
      requestTokens: 8202,
    })
  })

  test.each([
    { stop_reason: 'model_context_window_exceeded', content: [] },
    { choices: [{ finish_reason: 'model_context_window_exceeded', message: { content: '' } }] },
    { choices: [{ finish_reason: 'model_length' }] },
    {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'context_length_exceeded', message: '' } },
    },
    'model_context_window_exceeded',
  ])('reads an answer that ended for want of room: %j', (answer) => {
    expect(findOverflow(answer)).toEqual({ of: 'tokens' })
  })

  test.each([
    { stop_reason: 'max_tokens' },
    { choices: [{ finish_reason: 'length' }] },
    { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    { candidates: [{ finishReason: 'MAX_TOKENS' }] },
    {
      choices: [
        { message: { role: 'assistant', content: 'The prompt is too long: 2 tokens > 1 maximum' } },
      ],
    },
    { content: [{ type: 'text', text: 'context_length_exceeded' }] },
    undefined,
    null,
    '',
    400,
    new Error('socket hang up'),
  ])('finds nothing in %j', (answer) => {
    expect(findOverflow(answer)).toBeUndefined()
  })

  describe('an answer that quotes an overflow is none', () => {
    const said = 'The log says "prompt is too long: 205000 tokens > 200000 maximum".'
    const answer = { choices: [{ message: { role: 'assistant', content: said } }] }
    const unread = new JSONParseError({ text: said, cause: new SyntaxError('odd') })
    const invalid = (value: unknown) =>
      new TypeValidationError({ value, cause: new Error('[{ "path": ["a"] }]') })

    test.each([
      ['whose JSON is none', unread],
      ['that has another shape', invalid({ answer: said })],
      [
        'that is no object',
        new NoObjectGeneratedError({
          message: 'No object generated',
          cause: unread,
          text: said,
          response: { id: '', timestamp: new Date(), modelId: '' },
          usage: Object.create(null),
          finishReason: 'stop',
        }),
      ],
      [
        'that calls a tool with it',
        new InvalidToolInputError({ toolName: 'log', toolInput: said, cause: unread }),
      ],
      [
        'of status 200 in an error',
        new APICallError({
          message: 'Invalid JSON response',
          url: '',
          requestBodyValues: {},
          statusCode: 200,
          responseBody: JSON.stringify(answer),
          cause: invalid(answer),
        }),
      ],
      ['that a parser of LangChain refuses', new OutputParserException(`Failed. Text: "${said}"`)],
      ['in an event', { type: 'response.output_text.delta', delta: said }],
      ['of Ollama', { model: 'm', response: said, done: true }],
    ])('%s', (_, error) => {
      expect(findOverflow(error)).toBeUndefined()
      expect(findOverflow({ cause: error })).toBeUndefined()
    })
  })

  test('takes 413 without a body for too many bytes', () => {
    expect(findOverflow(Anthropic.APIError.generate(413, undefined, undefined, headers))).toEqual({
      of: 'bytes',
    })
  })

  test('listens to the newest of several tries', () => {
    const overflow = apiCallError(400, asText(overflowAnswers[0]?.body))
    const busy = apiCallError(429, asText(otherAnswers[0]?.body))
    const errors = [overflow, busy]
    expect(
      findOverflow(new RetryError({ message: '', reason: 'maxRetriesExceeded', errors })),
    ).toBeUndefined()
  })

  test('survives what refers to itself, throws when read or never ends', () => {
    const circle: Record<string, unknown> = { message: 'odd' }
    circle.cause = circle
    const thrower = Object.defineProperty({}, 'message', {
      get() {
        throw new Error('no')
      },
    })
    let deep: unknown = 'prompt is too long'
    for (let level = 0; level < 10_000; level++) deep = { cause: deep }
    const wordless = { type: { toString: 1 }, reason: Object.create(null) }
    for (const error of [circle, thrower, deep, wordless])
      expect(findOverflow(error)).toBeUndefined()
  })

  test.each([
    ['brackets', (length: number) => '[{'.repeat(length)],
    ['digits', (length: number) => `prompt contains ${'9'.repeat(length)} tokens`],
    ['spaces', (length: number) => `too many tokens: ${' '.repeat(length)}`],
  ])('reads a hostile text of %s in linear time', { tags: 'slow' }, async (_, makeText) => {
    await expectLinearGrowth(
      makeText,
      (text) => findOverflow({ message: text, responseBody: text }),
      50_000,
    )
  })
})
