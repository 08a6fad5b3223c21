import { z } from 'zod'

/** What comes of a call. */
export const toolReply = z.union([
  z.object({ answer: z.object({ texts: z.array(z.string()), data: z.record(z.string(), z.unknown()).optional() }) }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
])

/** A call, for another process. */
export const toolCall = z.object({ tool: z.string(), input: z.unknown() })

export type ToolReply = z.infer<typeof toolReply>

/** What is told before. */
export const toolProgress = z.object({ step: z.string(), fraction: z.number() })

export type ToolProgress = z.infer<typeof toolProgress>
