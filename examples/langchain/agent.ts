// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import { ChatOpenAI } from '@langchain/openai'
import { precisAgentMiddleware } from '@precis/core/langchain'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const readOne = tool(({ name }) => readFile(name, 'utf8'), {
  name: 'read_file',
  description: 'Gives the text of a file.',
  schema: z.object({ name: z.enum(files) }),
})

const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5' }),
  tools: [readOne],
  systemPrompt: `Read what you need of these files, then answer: ${files.join(', ')}`,
  middleware: [
    precisAgentMiddleware({
      windowTokens: 16_000, // far less than the model has, to see it at work
      on: {
        'compression-applied': ({ compression }) =>
          console.error(
            `compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`,
          ),
      },
    }),
  ],
})

const content = process.argv[2] ?? 'What is this project for?'
const { messages } = await agent.invoke(
  { messages: [{ role: 'user', content }] },
  { recursionLimit: 1000 },
)
console.log(messages.at(-1)?.text)
