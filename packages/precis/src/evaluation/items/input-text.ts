// Settings of a call: they are no facts of the project.
const SETTINGS = new Set(
  (
    'timeout limit offset head_limit replace_all output_mode run_in_background status activeForm yield_time_ms ' +
    'max_output_tokens session_id subagent_type multiline'
  ).split(' '),
)

/** The values of a call's arguments, one per line. Walks without recursion: the depth is not ours. */
export function readInputText(input: unknown): string {
  const lines: string[] = []
  const pending: unknown[] = [input]
  while (pending.length > 0) {
    const value = pending.pop()
    const inner = innerValues(value)
    if (!inner) lines.push(renderValue(value))
    else if (inner.length === 0) lines.push('')
    else for (let index = inner.length - 1; index >= 0; index--) pending.push(inner[index])
  }
  return lines.join('\n')
}

function innerValues(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).flatMap(([name, inner]) => (SETTINGS.has(name) ? [] : [inner]))
}

// The reference scorer spells values as Python does.
function renderValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}
