/** What the expressions of a script come to, as far as that can be told without running it. */

/** A part of an expression that only running it would tell is `Unknown`. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Unknown
  | readonly Value[]
  | ReadonlyMap<string, Value>

export class Unknown {
  /** As the script writes it. */
  readonly words: string
  constructor(words: string) {
    this.words = words
  }
}

/** A field of an object, or an item of a list. */
export function readField(value: Value, name: string): Value {
  if (value instanceof Map) return value.get(name) ?? new Unknown(name)
  const item = Array.isArray(value) && /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined
  return item ?? new Unknown(name)
}

/** As a template shows it; what is not known stands there as the script writes it. */
function asText(value: Value): string | undefined {
  if (value instanceof Unknown) return `\${${value.words}}`
  return value === null || typeof value !== 'object' ? String(value) : undefined
}

/** As JSON would have it, without what is not known. */
export function toPlain(value: Value): unknown {
  if (value instanceof Unknown) return undefined
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, field]) => [key, toPlain(field)]))
  return Array.isArray(value) ? value.map(toPlain) : value
}

/** As `+` and templates join; what is longer than `longest` characters is not known. */
export function join(first: Value, second: Value, longest: number): Value {
  const [before, after] = [asText(first), asText(second)]
  // Two numbers are added, and a list has no text here.
  const isText =
    before !== undefined &&
    after !== undefined &&
    !(typeof first === 'number' && typeof second === 'number')
  return isText && before.length + after.length <= longest ? before + after : new Unknown('')
}

/** Lists and strings answer to `join`, `concat` and `trim`; undefined for any other method. */
export function callMethod(
  value: Value,
  name: string,
  argument: Value | undefined,
  longest: number,
): Value | undefined {
  if (name === 'trim' && typeof value === 'string') return value.trim()
  if (name === 'concat' && argument !== undefined) return join(value, argument, longest)
  if (name !== 'join' || !Array.isArray(value)) return undefined
  const between = typeof argument === 'string' ? argument : ','
  const parts: Value[] = value.flatMap((item: Value, index) =>
    index === 0 ? [item] : [between, item],
  )
  return parts.reduce((text, part) => join(text, part, longest), '')
}

/** Characters of a string, or of those right inside a list or an object. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  const items: readonly Value[] = Array.isArray(value)
    ? value
    : value instanceof Map
      ? [...value.values()]
      : []
  return items.reduce<number>(
    (size, item) => size + (typeof item === 'string' ? item.length : 1),
    1,
  )
}
