// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import { anthropic } from '@ai-sdk/anthropic'
import { precisMiddleware } from '@precis/core/ai-sdk'
import { stepCountIs, streamText, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'

const model = wrapLanguageModel({
  model: anthropic('claude-opus-4-8'),
  middleware: precisMiddleware({
    windowTokens: 16_000, // far less than the model has, to see it at work
    on: {
      'compression-applied': ({ compression }) =>
        console.error(
          `compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`,
        ),
    },
  }),
})

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const { textStream } = streamText({
  model,
  system: `Read what you need of these files, then answer: ${files.join(', ')}`,
  prompt: process.argv[2] ?? 'What is this project for?',
  tools: {
    read_file: tool({
      inputSchema: z.object({ name: z.enum(files) }),
      execute: ({ name }) => readFile(name, 'utf8'),
    }),
  },
  stopWhen: stepCountIs(1000),
})
for await (const text of textStream) process.stdout.write(text)
