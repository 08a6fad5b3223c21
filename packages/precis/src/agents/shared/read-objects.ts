import { type JsonObject, parseObject } from '../../files/lines.ts'

/** The objects of an output with one object per line. Other lines are left out. */
export function readObjectLines(output: string): JsonObject[] {
  return output.split('\n').flatMap((line): readonly JsonObject[] => {
    const object = parseObject(Buffer.from(line))
    return object ? [object] : []
  })
}
