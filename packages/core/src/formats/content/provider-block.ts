import { isJsonObject, readMember } from '../json/object.ts'

/** The block of a provider's API behind the `native` of a part; session formats wrap theirs in where it stands. */
export function findProviderBlock(native: unknown): unknown {
  if (!isJsonObject(native)) return undefined
  if (typeof native.record === 'number' && 'block' in native) return native.block
  if (typeof native.ordinal !== 'number' || typeof native.index !== 'number') return native
  const blocks = readMember(native.item, 'content') ?? readMember(native.item, 'output')
  return Array.isArray(blocks) ? blocks[native.index] : native.item
}
