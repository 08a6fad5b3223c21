/** How the model that reads a result can look up what was removed from it. Whether there is such a way, the host knows. */
export interface RecallPath {
  /** The tool's name as the model sees it: `mcp__precis__recall`. */
  readonly tool: string
  /** What the tool calls the original; undefined where it takes nothing but words. */
  readonly reference?: string
}

/** One paragraph for the model. The same path gives the same text: nothing in it depends on what was removed. */
export function renderRecallPath({ tool, reference }: RecallPath): string {
  const kept = 'What was removed here is kept word for word'
  const byWords = `call ${tool} with {"query": "<a few words>"}`
  const why = 'rather than guess or do the work again'
  if (reference === undefined) return `${kept}: ${why}, ${byWords}.`
  const bySpan = `{"reference": "${reference}", "span": <number>}`
  return `${kept} under reference ${reference}: ${why}, ${byWords}; with ${bySpan} it gives one whole record.`
}
