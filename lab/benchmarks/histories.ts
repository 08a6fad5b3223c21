import type { Conversation, Message } from '@precis/core'

/**
 * A conversation of `messageCount` messages as an agent makes them: a request, then rounds of a
 * call and a result. Every message has its own words, so that nothing is counted from a cache.
 */
export function createHistory(messageCount: number, charactersPerMessage = 400): Conversation {
  const messages = Array.from({ length: messageCount }, (_, index) =>
    createMessage(index, charactersPerMessage),
  )
  return {
    protocol: 'anthropic-messages',
    messages,
    tools: [],
    model: 'gpt-5',
    workingDirectory: '/work/project',
  }
}

const MESSAGES_PER_TURN = 20

function createMessage(index: number, characters: number): Message {
  const position = index % MESSAGES_PER_TURN
  if (position === 0)
    return {
      role: 'user',
      origin: 'user',
      parts: [{ type: 'text', text: renderText(index, characters / 4) }],
    }
  const callId = `call_${index - (position % 2 === 0 ? 1 : 0)}`
  if (position === MESSAGES_PER_TURN - 1) {
    return {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'text', text: renderText(index, characters) }],
    }
  }
  if (position % 2 === 1) {
    const input = {
      file_path: `/work/project/src/module-${index % 97}.ts`,
      command: renderText(index, 40),
    }
    return {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId, name: 'Read', input }],
    }
  }
  const output = [{ type: 'text' as const, text: renderText(index, characters * 2) }]
  return {
    role: 'tool',
    origin: 'environment',
    parts: [{ type: 'tool-result', callId, output, isError: false }],
  }
}

/**
 * Words that no other message has in this order: a linear congruential walk over a small
 * vocabulary.
 */
export function renderText(seed: number, characters: number): string {
  const words: string[] = []
  let state = (seed + 1) * 2_654_435_761
  let length = 0
  while (length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const word = `${VOCABULARY[state % VOCABULARY.length]}${state % 7 === 0 ? state % 1000 : ''}`
    words.push(word, state % 11 === 0 ? '\n' : ' ')
    length += word.length + 1
  }
  return words.join('')
}

const VOCABULARY =
  'const function return await import export session message token budget compress parser writeFile readLine error failed the of and to is in src/index.ts test.ts { } => ; if else for while interface readonly string number'.split(
    ' ',
  )
