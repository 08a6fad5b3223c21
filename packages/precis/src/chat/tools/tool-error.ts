/** A call that could not be done. The message is for the model: what was found, and what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
