// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import { wrapOpenAI } from '@precis/core/openai'
import OpenAI from 'openai'

const client = wrapOpenAI(new OpenAI(), {
  windowTokens: 16_000, // far less than the model has, to see it at work
  on: {
    'compression-applied': ({ compression }) =>
      console.error(`compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`),
  },
})

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const question = process.argv[2] ?? 'What is this project for?'
const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = [
  {
    role: 'system',
    content: `Read what you need of these files, then answer: ${files.join(', ')}`,
  },
  { role: 'user', content: question },
]
const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters } }]

for (;;) {
  const { choices } = await client.chat.completions.create({ model: 'gpt-5', messages, tools })
  const answer = choices[0]?.message
  if (!answer) break
  messages.push(answer)
  if (!answer.tool_calls) {
    console.log(answer.content)
    break
  }
  for (const call of answer.tool_calls) {
    const { name } = call.type === 'function' ? JSON.parse(call.function.arguments) : { name: '' }
    const content = files.includes(name)
      ? await readFile(name, 'utf8')
      : `There is no file "${name}".`
    messages.push({ role: 'tool', tool_call_id: call.id, content })
  }
}
