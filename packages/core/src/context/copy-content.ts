/**
 * A message as it is now, whatever its host writes into it later. Texts are shared, and so are objects with a class of
 * their own, such as bytes and the messages of some libraries.
 */
export function copyContent<Value>(value: Value): Value {
  const copies = new Map<object, object>()
  const waiting: object[] = []
  const copyOne = (original: unknown): unknown => {
    if (!isContainer(original)) return original
    const known = copies.get(original)
    if (known) return known
    const copy = Array.isArray(original) ? [...original] : { ...original }
    copies.set(original, copy)
    waiting.push(copy)
    return copy
  }
  const copied = copyOne(value) as Value
  for (let copy = waiting.pop(); copy !== undefined; copy = waiting.pop()) {
    for (const key of Object.keys(copy)) {
      const member: unknown = Reflect.get(copy, key)
      const own = copyOne(member)
      // Not by assignment: `__proto__` may be a key.
      if (own !== member) Reflect.defineProperty(copy, key, { value: own })
    }
  }
  return copied
}

/** Something that says itself what it is as JSON is not taken apart. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && !('toJSON' in value)
}
