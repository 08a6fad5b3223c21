/** The configuration of a command: flags over the environment, over the user's file, over what the project may say. */
import type { Configuration } from '../configuration/configuration.ts'
import { type ConfigurationFlags, forgetVariables, readConfiguration } from '../configuration/read-configuration.ts'
import { neutralizeLine } from '../terminal/terminal-text.ts'

/** Reads the configuration. Mistakes in a flag or in the user's file are errors before any work; settings that a project may not make are named and ignored. */
export async function readConfigured(flags: ConfigurationFlags = {}): Promise<Configuration> {
  const { strategy, budget, threshold, keep, summarizer, baseUrl, database } = flags
  const configuration = await readConfiguration(process.cwd(), {
    ...(strategy !== undefined && { strategy }),
    ...(budget !== undefined && { budget }),
    ...(threshold !== undefined && { threshold }),
    ...(keep && { keep }),
    ...(summarizer !== undefined && { summarizer }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(database !== undefined && { database }),
  })
  tell(configuration.notices)
  return configuration
}

const told = new WeakMap<object, Set<string>>()
let isMuted = false

/** For a process that works for another, which tells it itself. */
export function muteNotices(): void {
  isMuted = true
}

/** Once each, on standard error. */
function tell(notices: readonly string[]): void {
  if (isMuted) return
  const { stderr } = process
  const before = told.get(stderr) ?? new Set()
  for (const notice of notices.filter((text) => !before.has(text))) {
    stderr.write(`precis: ${neutralizeLine(notice)}.\n`)
    before.add(notice)
  }
  told.set(stderr, before)
}

/**
 * For `hook` and `mcp`: an agent starts them in the folder of a project, with an environment that the project's settings for
 * that agent may have written.
 */
export function distrustEnvironment(): void {
  const names = forgetVariables(process.env)
  if (names.length === 0) return
  tell([
    `${names.join(', ')} is ignored here: a project can set the environment of its agent. Your own settings stand in your configuration`,
  ])
}
