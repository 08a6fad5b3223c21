/** What a tool of LangChain costs in a request. Its `schema` may be that of a validation library. */
import { toJsonText } from '../../conversation/json-text.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'

/** JSON text of what a model is told of the tool; an estimate where the schema cannot be had as JSON. */
export function readToolSchema(tool: unknown): string {
  if (!isJsonObject(tool) || typeof tool.name !== 'string' || tool.schema === undefined) return toJsonText(tool)
  const description = typeof tool.description === 'string' ? tool.description : ''
  const parameters = toJsonSchema(tool.schema)
  return toJsonText({ type: 'function', function: { name: tool.name, description, parameters } })
}

function toJsonSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return {}
  return convertByStandard(schema) ?? describeShape(schema) ?? schema
}

/** By the Standard JSON Schema interface, which Zod 4.2 and others have. */
function convertByStandard(schema: JsonObject): unknown {
  const convert = readMember(readMember(schema['~standard'], 'jsonSchema'), 'input')
  if (typeof convert !== 'function') return undefined
  try {
    return convert({ target: 'draft-07' })
  } catch {
    // It throws for what JSON Schema cannot say, such as a date.
    return undefined
  }
}

/** Names and descriptions of the fields of an older Zod object. */
function describeShape(schema: JsonObject): unknown {
  const { shape } = schema
  if (!isJsonObject(shape)) return undefined
  const properties = Object.entries(shape).map(([name, field]) => {
    const description: unknown = isJsonObject(field) ? field.description : undefined
    return [name, { type: 'string', ...(typeof description === 'string' && { description }) }]
  })
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(shape) }
}
