import { readProperty } from './followed-calls.ts'

/**
 * The clients that can be wrapped: a method that each of them has, the package it is of, and what
 * wraps it.
 */
const CLIENTS = {
  wrapOpenAI: {
    method: ['chat', 'completions', 'create'],
    package: 'openai',
    made: 'OpenAI',
    from: 'openai',
  },
  wrapAnthropic: {
    method: ['messages', 'create'],
    package: '@anthropic-ai/sdk',
    made: 'Anthropic',
    from: 'anthropic',
  },
  wrapGoogle: {
    method: ['models', 'generateContent'],
    package: '@google/genai',
    made: 'GoogleGenAI',
    from: 'google',
  },
}

/**
 * Throws `TypeError` for anything but a client that `wrapper` can wrap: it would fail, or do
 * nothing, without a word.
 */
export function assertClient(client: unknown, wrapper: keyof typeof CLIENTS): void {
  const isOf = ({ method }: { readonly method: readonly string[] }) =>
    typeof method.reduce<unknown>((value, name) => readProperty(value, name), client) === 'function'
  const wanted = CLIENTS[wrapper]
  if (isOf(wanted)) return
  const other = Object.entries(CLIENTS).find(([, kind]) => isOf(kind))
  if (other) {
    const [right, kind] = other
    throw new TypeError(
      `Wrapping a client with ${wrapper}: it is a client of the package ${kind.package}. Wrap it with ${right} of @precis/core/${kind.from}.`,
    )
  }
  const type = client === null ? 'null' : typeof client
  const found = type === 'object' ? `an object without ${wanted.method.join('.')}` : type
  throw new TypeError(
    `Wrapping a client with ${wrapper}: found ${found}. Give a client of the package ${wanted.package}, such as new ${wanted.made}().`,
  )
}
