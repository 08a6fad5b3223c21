/**
 * Any JSON value as text, at any depth. `JSON.stringify` overflows the stack at some thousand
 * levels.
 */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    // The value is too deep or circular. The writer without a stack reports a circle with its own
    // error.
    if (error instanceof RangeError || error instanceof TypeError) return writeWithoutStack(value)
    throw error
  }
}

/** Undefined for text that is not JSON. `JSON.parse` itself accepts any depth. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type WriteTask =
  | { readonly text: string }
  | { readonly value: unknown }
  | { readonly close: object; readonly text: string }

function writeWithoutStack(root: unknown): string {
  const pieces: string[] = []
  const open = new Set<object>()
  const tasks: WriteTask[] = [{ value: root }]
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    if ('value' in task) {
      const { value } = task
      if (typeof value !== 'object' || value === null) {
        pieces.push(JSON.stringify(value) ?? 'null')
        continue
      }
      if (open.has(value))
        throw new TypeError('Writing JSON: an object contains itself. Give what JSON can say.')
      open.add(value)
      pushMembers(value, tasks)
      pieces.push(Array.isArray(value) ? '[' : '{')
      continue
    }
    if ('close' in task) open.delete(task.close)
    pieces.push(task.text)
  }
  return pieces.join('')
}

/** Pushed last to first, because the latest task runs first. */
function pushMembers(value: object, tasks: WriteTask[]): void {
  tasks.push({ close: value, text: Array.isArray(value) ? ']' : '}' })
  if (Array.isArray(value)) {
    for (let index = value.length - 1; index >= 0; index--) {
      tasks.push({ value: value[index] })
      if (index > 0) tasks.push({ text: ',' })
    }
    return
  }
  const entries: [string, unknown][] = Object.entries(value)
  const members = entries.filter(([, member]) => member !== undefined)
  members.reverse().forEach(([key, member], position) => {
    tasks.push({ value: member }, { text: `${JSON.stringify(key)}:` })
    if (position < members.length - 1) tasks.push({ text: ',' })
  })
}
