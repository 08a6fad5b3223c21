import { isJsonObject, withMembers } from '../../formats/json/object.ts'
import { construct, isInstance, type Kind, readShape } from '../../formats/langchain/record-shape.ts'

/**
 * Makes messages of LangChain of what precis wrote, with the classes of those that are there, so that nothing has to be
 * imported; without one of the kind it stays `{ role, content }`, of which the chat model makes one. The same message
 * is the same instance in every request.
 */
export function createInstances(): <Native extends object>(
  messages: readonly object[],
  given: readonly Native[],
) => Native[] {
  const made = new WeakMap<object, object>()
  return <Native extends object>(messages: readonly object[], given: readonly Native[]) => {
    let samples: ReadonlyMap<Kind, object> | undefined
    const toInstance = (message: object): object => {
      if (!isJsonObject(message) || isInstance(message)) return message
      const known = made.get(message)
      if (known) return known
      samples ??= findSamples(given)
      const { kind, fields } = readShape(message, 0)
      const sample = samples.get(kind)
      const instance = (sample && construct(sample, withMembers(fields, { role: undefined }))) ?? message
      made.set(message, instance)
      return instance
    }
    return messages.map(toInstance) as Native[]
  }
}

function findSamples(messages: readonly object[]): ReadonlyMap<Kind, object> {
  const samples = new Map<Kind, object>()
  for (const [index, message] of messages.entries()) {
    const { kind } = readShape(message, index)
    if (!samples.has(kind)) samples.set(kind, message)
  }
  return samples
}
