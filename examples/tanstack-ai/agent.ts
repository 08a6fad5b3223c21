// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import { wrapTanStackAI } from '@precis/core/tanstack-ai'
import { chat, maxIterations, toolDefinition } from '@tanstack/ai'
import { openaiText } from '@tanstack/ai-openai'
import { z } from 'zod'

const adapter = wrapTanStackAI(openaiText('gpt-5.5'), {
  windowTokens: 16_000, // far less than the model has, to see it at work
  on: {
    'compression-applied': ({ compression }) =>
      console.error(`compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`),
  },
})

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const readOne = toolDefinition({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ name: z.enum(files) }),
}).server(({ name }) => readFile(name, 'utf8'))

const stream = chat({
  adapter,
  systemPrompts: [`Read what you need of these files, then answer: ${files.join(', ')}`],
  messages: [{ role: 'user', content: process.argv[2] ?? 'What is this project for?' }],
  tools: [readOne],
  agentLoopStrategy: maxIterations(1000),
})
for await (const chunk of stream)
  if (chunk.type === 'TEXT_MESSAGE_CONTENT') process.stdout.write(chunk.delta)
