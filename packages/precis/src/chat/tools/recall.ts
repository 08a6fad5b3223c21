import { z } from 'zod'
import type { Tool } from './tool.ts'

const input = z.strictObject({ query: z.string().min(1).max(500).describe('a few words') })

/** For the model what `/recall` is for the person. */
export const recall: Tool<z.infer<typeof input>> = {
  name: 'recall',
  description: 'Searches the earlier part of this chat that is no longer in front of you because it was summarized.',
  input,
  run: async ({ query }, { recall: search }) => search(query),
}
