/** A call that makes no sense; the message tells the model how it would. */
export class McpToolError extends Error {
  override readonly name = 'McpToolError'
  readonly code = 'wrong-usage'
}
