/**
 * The configuration of a command. Flags override the environment, which overrides the user's file,
 * which overrides the project's.
 */
import { neutralizeLine } from '@precis/core/text'
import type { Configuration } from './configuration.ts'
import {
  type ConfigurationFlags,
  forgetVariables,
  readConfiguration,
} from './read-configuration.ts'

/**
 * Mistakes in a flag or in the user's file are errors before any work. Forbidden settings of a
 * project are named and ignored.
 */
export async function readConfigured(flags: ConfigurationFlags = {}): Promise<Configuration> {
  const configuration = await readConfiguration(process.cwd(), flags)
  printNotices(configuration.notices)
  return configuration
}

const printed = new WeakMap<object, Set<string>>()
let isMuted = false

/** For a child process whose parent prints the notices itself. */
export function muteNotices(): void {
  isMuted = true
}

/** Prints each notice once on standard error. */
function printNotices(notices: readonly string[]): void {
  if (isMuted) return
  const { stderr } = process
  const before = printed.get(stderr) ?? new Set()
  for (const notice of notices.filter((text) => !before.has(text))) {
    stderr.write(`precis: ${neutralizeLine(notice)}.\n`)
    before.add(notice)
  }
  printed.set(stderr, before)
}

/**
 * For commands that an agent starts in the folder of a project. The project's settings for the
 * agent may set the environment.
 */
export function distrustEnvironment(): void {
  const names = forgetVariables(process.env)
  if (names.length === 0) return
  printNotices([
    `${names.join(', ')} is ignored here, because a project can set the environment of its agent. Use your configuration instead`,
  ])
}
