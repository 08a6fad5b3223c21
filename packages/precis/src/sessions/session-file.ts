import type { Agent } from './agent-home.ts'

/** A session as the folders of its agent tell of it. */
export interface SessionFile {
  readonly agent: Agent
  readonly id: string
  readonly path: string
  readonly bytes: number
  readonly modified: Date
}
