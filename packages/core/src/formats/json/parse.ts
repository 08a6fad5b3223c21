/** Undefined for what is no JSON; `JSON.parse` itself takes any depth. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
