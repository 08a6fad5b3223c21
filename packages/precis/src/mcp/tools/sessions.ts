import { z } from 'zod'
import type { DescribedSession } from '../../sessions/describe-session.ts'
import { quoteLine } from './quote-text.ts'
import type { McpTool } from './tool.ts'

const DEFAULT_LISTED = 10
const MOST_LISTED = 50
const PROMPT_CHARACTERS = 120

const input = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(MOST_LISTED)
    .optional()
    .describe(`At most so many (${DEFAULT_LISTED}).`),
  everywhere: z
    .boolean()
    .optional()
    .describe('Those of all projects, not only of the one you work in.'),
})

const output = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      agent: z.string(),
      project: z.string().nullable(),
      firstPrompt: z.string().nullable(),
      bytes: z.number(),
      tokens: z
        .number()
        .nullable()
        .describe('Size of the context after the newest request; null when nobody counted it.'),
      modified: z.string(),
    }),
  ),
})

export const sessions: McpTool<z.infer<typeof input>> = {
  name: 'sessions',
  title: 'List sessions',
  // Does not name the agents, because their list would load all of their code, which the handshake
  // does not need.
  description:
    'Lists sessions of the coding agents on this machine, newest first: the ids that inspect and compress take. The one you are in is mostly the first.',
  input,
  output,
  isReadOnly: true,

  async run({ limit = DEFAULT_LISTED, everywhere = false }, { directory }) {
    const { describeSession } = await import('../../sessions/describe-session.ts')
    const { createSessionMatcher } = await import('../../sessions/filter-sessions.ts')
    const { listSessionFiles } = await import('../../sessions/find-sessions.ts')
    const matches = everywhere ? () => true : createSessionMatcher({ project: directory })
    const found: DescribedSession[] = []
    for (const file of listSessionFiles()) {
      if (found.length === limit) break
      if (matches(file)) found.push(describeSession(file))
    }
    const data = { sessions: found.map(toJson) }
    if (found.length === 0)
      return { texts: [`No session of an agent worked in "${directory}".`], data }
    const lines = data.sessions.map(
      ({ sessionId, agent, modified, tokens, firstPrompt }) =>
        `${sessionId}  ${agent}, ${modified}, ${tokens === null ? 'tokens unknown' : `${tokens} tokens`}${firstPrompt === null ? '' : `\n> ${firstPrompt}`}`,
    )
    return { texts: [lines.join('\n')], data }
  },
}

function toJson({
  agent,
  id,
  workingDirectory,
  firstPrompt,
  bytes,
  contextTokens,
  modified,
}: DescribedSession) {
  return {
    sessionId: id,
    agent: agent.name,
    project: workingDirectory === undefined ? null : quoteLine(workingDirectory, 1_000),
    firstPrompt: firstPrompt === undefined ? null : quoteLine(firstPrompt, PROMPT_CHARACTERS),
    bytes,
    tokens: contextTokens ?? null,
    modified: modified.toISOString(),
  }
}
