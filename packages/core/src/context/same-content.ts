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
    const members = Object.entries(a).filter(isPresent)
    if (members.length !== Object.entries(b).filter(isPresent).length) return false
    for (const [key, value] of members) {
      if (!Object.hasOwn(b, key)) return false
      waiting.push(value, Reflect.get(b, key))
    }
  }
  return true
}

/** JSON has no members that are undefined. */
function isPresent([, value]: readonly [string, unknown]): boolean {
  return value !== undefined
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
