/** Whether two messages would be the same JSON, whatever the order of their members. Linear, and deep as they are. */
export function isSameContent(left: unknown, right: unknown): boolean {
  const waiting: unknown[] = [left, right]
  while (waiting.length > 0) {
    const b = readPlain(waiting.pop())
    const a = readPlain(waiting.pop())
    if (Object.is(a, b)) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
      if (!isSameBytes(a, b)) return false
      continue
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false
    let members = 0
    for (const key of Object.keys(b)) if (Reflect.get(b, key) !== undefined) members++
    for (const key of Object.keys(a)) {
      const own: unknown = Reflect.get(a, key)
      // JSON has no members that are undefined.
      if (own === undefined) continue
      members--
      const other: unknown = Object.hasOwn(b, key) ? Reflect.get(b, key) : undefined
      if (typeof own !== 'object' && typeof other !== 'object' && !Object.is(own, other)) return false
      if (!Object.is(own, other)) waiting.push(own, other)
    }
    if (members !== 0) return false
  }
  return true
}

/** Addresses, dates and the messages of some libraries say themselves what they are as JSON. */
function readPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const toJson: unknown = 'toJSON' in value ? value.toJSON : undefined
  return typeof toJson === 'function' ? toJson.call(value) : value
}

function isSameBytes(a: object, b: object): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.byteLength !== b.byteLength) return false
  const left = new Uint8Array(a.buffer, a.byteOffset, a.byteLength)
  const right = new Uint8Array(b.buffer, b.byteOffset, b.byteLength)
  return left.every((byte, index) => byte === right[index])
}
