/** The values of a script's expressions, if they can be found without running it. */

/** `Unknown` is a part of an expression that only running it would show. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Unknown
  | readonly Value[]
  | ReadonlyMap<string, Value>

export class Unknown {
  /** Its source text. */
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

/** The text in a template. Unknown parts keep their source text. */
function asText(value: Value): string | undefined {
  if (value instanceof Unknown) return `\${${value.words}}`
  return value === null || typeof value !== 'object' ? String(value) : undefined
}

/** The value as in JSON, except unknown parts. */
export function toPlain(value: Value): unknown {
  if (value instanceof Unknown) return undefined
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, field]) => [key, toPlain(field)]))
  return Array.isArray(value) ? value.map(toPlain) : value
}

/** Joins like `+` and templates. A result longer than `longest` characters is unknown. */
export function join(first: Value, second: Value, longest: number): Value {
  const [before, after] = [asText(first), asText(second)]
  // Two numbers would be added, and lists are not converted to text here.
  const isText =
    before !== undefined &&
    after !== undefined &&
    !(typeof first === 'number' && typeof second === 'number')
  return isText && before.length + after.length <= longest ? before + after : new Unknown('')
}

/** Lists and strings support `join`, `concat` and `trim`. Undefined for any other method. */
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

/** Characters of a string, or of the strings directly in a list or an object. */
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
