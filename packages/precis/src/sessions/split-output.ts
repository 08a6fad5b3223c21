import type { FormatOutput } from '@precis/core/formats'

/** What a format wrote, as bytes: each piece may be a view that lives until the next one is read. */
export function splitOutput(output: FormatOutput): Iterable<Uint8Array> {
  if (typeof output === 'string') return [Buffer.from(output)]
  if (output instanceof Uint8Array) return [output]
  if (Symbol.iterator in output) return output
  return [Buffer.from(JSON.stringify(output))]
}
