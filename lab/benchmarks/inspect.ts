import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createTokenCounter, findModel, inspect } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import { detectFormat, formats } from '@precis/core/formats'
import { compare, fastest, type Row } from './measure.ts'

const folder = fileURLToPath(new URL('../../../shared/data/claude-code/', import.meta.url))

/**
 * `inspect` of the largest recorded session over reading it, parsing its lines and counting its
 * text once.
 */
export async function measureInspect(): Promise<Row[]> {
  if (!existsSync(folder))
    return [
      { name: '`inspect` of a recorded session', value: 'not measured: no recorded sessions here' },
    ]
  const file = findLargest()
  const conversation = formats[detectFormat(readFileSync(file))].parse(readFileSync(file))
  const model = findModel(conversation.model ?? '')
  const text = conversation.messages.flatMap((message) => message.parts.map(renderPart))
  const limit = await fastest(5, () => {
    for (const line of readFileSync(file, 'utf8').split('\n')) if (line) JSON.parse(line)
    const counter = createTokenCounter(model)
    for (const part of text) counter.countText(part)
  })
  const whole = await fastest(5, () => {
    const bytes = readFileSync(file)
    inspect(formats[detectFormat(bytes)].parse(bytes), createTokenCounter(model))
  })
  const size = (statSync(file).size / 1e6).toFixed(1)
  return [
    compare(
      `\`inspect\` of ${size} MB over read + \`JSON.parse\` + count (${limit.toFixed(0)} ms)`,
      whole / limit,
      3,
    ),
  ]
}

function findLargest(): string {
  const files = readdirSync(folder).map((name) => folder + name)
  return files.reduce((largest, file) =>
    statSync(file).size > statSync(largest).size ? file : largest,
  )
}
