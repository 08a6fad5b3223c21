/**
 * The encodings that count here. A vocabulary is most of the size of this package. So it is only
 * loaded if tokens are counted: on demand, or by a host that imports `@precis/core/tokens/o200k` or
 * `/cl100k`.
 */
import type { Encoding, EncodingName } from './encodings/encoding.ts'

const provided = new Map<EncodingName, Encoding>()

/** Makes an encoding known to every counter. */
export function provideEncoding(encoding: Encoding): Encoding {
  provided.set(encoding.name, encoding)
  return encoding
}

/** Undefined until its vocabulary is loaded. */
export function findEncoding(name: EncodingName): Encoding | undefined {
  return provided.get(name)
}
