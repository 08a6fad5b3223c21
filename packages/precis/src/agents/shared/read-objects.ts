import { type JsonObject, parseObject } from '../../files/lines.ts'

/** The objects of an output that has one a line. What is none is left out. */
export function readObjects(output: string): JsonObject[] {
  return output.split('\n').flatMap((line): readonly JsonObject[] => {
    const object = parseObject(Buffer.from(line))
    return object ? [object] : []
  })
}
