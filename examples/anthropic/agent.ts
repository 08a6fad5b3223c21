// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import Anthropic from '@anthropic-ai/sdk'
import { wrapAnthropic } from '@precis/core/anthropic'

const client = wrapAnthropic(new Anthropic(), {
  windowTokens: 16_000, // far less than the model has, to see it at work
  on: {
    'compression-applied': ({ compression }) =>
      console.error(`compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`),
  },
})

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const system = `Read what you need of these files, then answer: ${files.join(', ')}`
const messages: Anthropic.MessageParam[] = [
  { role: 'user', content: process.argv[2] ?? 'What is this project for?' },
]
const properties = { name: { type: 'string', enum: files } }
const tools: Anthropic.Tool[] = [
  { name: 'read_file', input_schema: { type: 'object', properties } },
]

for (;;) {
  const request = { model: 'claude-opus-4-8', max_tokens: 2000, system, messages, tools }
  const stream = client.messages.stream(request).on('text', (text) => process.stdout.write(text))
  const { content } = await stream.finalMessage()
  messages.push({ role: 'assistant', content })
  const results: Anthropic.ToolResultBlockParam[] = []
  for (const block of content) {
    if (block.type !== 'tool_use') continue
    const { name = '' } = block.input as { name?: string }
    const text = files.includes(name) ? await readFile(name, 'utf8') : `There is no file "${name}".`
    results.push({ type: 'tool_result', tool_use_id: block.id, content: text })
  }
  if (results.length === 0) break
  messages.push({ role: 'user', content: results })
}
