// Reads files one by one. Every request fits the window, however many files there are.
import { readdir, readFile } from 'node:fs/promises'
import { type Content, GoogleGenAI, type Tool, Type } from '@google/genai'
import { wrapGoogle } from '@precis/core/google'

const client = wrapGoogle(new GoogleGenAI({}), {
  windowTokens: 16_000, // far less than the model has, to see it at work
  on: {
    'compression-applied': ({ compression }) =>
      console.error(`compressed: ${compression.tokensBefore} to ${compression.tokensAfter} tokens`),
  },
})

const entries = await readdir('.', { withFileTypes: true })
const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)

const question = process.argv[2] ?? 'What is this project for?'
const contents: Content[] = [{ role: 'user', parts: [{ text: question }] }]
const parameters = { type: Type.OBJECT, properties: { name: { type: Type.STRING, enum: files } } }
const tools: Tool[] = [{ functionDeclarations: [{ name: 'read_file', parameters }] }]
const systemInstruction = `Read what you need of these files, then answer: ${files.join(', ')}`

for (;;) {
  const config = { systemInstruction, tools }
  const response = await client.models.generateContent({
    model: 'gemini-2.5-pro',
    contents,
    config,
  })
  contents.push(response.candidates?.[0]?.content ?? { role: 'model', parts: [] })
  if (!response.functionCalls) {
    console.log(response.text)
    break
  }
  const parts = response.functionCalls.map(async ({ name = '', args }) => {
    const file = files.find((known) => known === args?.name)
    const output = file === undefined ? 'There is no such file.' : await readFile(file, 'utf8')
    return { functionResponse: { name, response: { output } } }
  })
  contents.push({ role: 'user', parts: await Promise.all(parts) })
}
