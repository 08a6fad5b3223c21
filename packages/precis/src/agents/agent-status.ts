/** What of precis is in which agent. */
import { existsSync } from 'node:fs'
import type { Agent } from '../sessions/agent-home.ts'
import { readAgentFile } from './agent-file.ts'
import { AgentFileError } from './agent-file-error.ts'
import { findEntry } from './find-entry.ts'
import { integrations } from './index.ts'
import type { Entry, StartCommand } from './integration.ts'

export interface EntryStatus {
  readonly what: string
  readonly path: string
  /** `outdated`: of another installation of precis, or edited. `foreign`: another has its place or its name. */
  readonly state: 'absent' | 'installed' | 'outdated' | 'foreign' | 'unreadable'
  /** Why it is not known. */
  readonly problem?: string
}

export interface AgentStatus {
  readonly agent: Agent
  /** Whether anything shows that somebody uses it. */
  readonly isFound: boolean
  readonly entries: readonly EntryStatus[]
}

export function findAgentStatus(agent: Agent, command: StartCommand, environment = process.env): AgentStatus {
  const { findTraces, listEntries } = integrations[agent]
  return {
    agent,
    isFound: findTraces(environment).some((path) => existsSync(path)),
    entries: listEntries({ environment, command }).map(describeEntry),
  }
}

function describeEntry(entry: Entry): EntryStatus {
  const { what, path } = entry
  try {
    const found = findEntry(readAgentFile(path), entry)
    if (found.type === 'unfit') return { what, path, state: 'unreadable', problem: found.problem }
    return { what, path, state: found.type === 'own' ? 'outdated' : found.type }
  } catch (error) {
    if (error instanceof AgentFileError) return { what, path, state: 'unreadable', problem: error.message }
    throw error
  }
}
