/**
 * The configuration of a command: flags over the environment, over the user's file, over what the
 * project may say.
 */
import { neutralizeLine } from '@precis/core/text'
import type { Configuration } from './configuration.ts'
import {
  type ConfigurationFlags,
  forgetVariables,
  readConfiguration,
} from './read-configuration.ts'

/**
 * Mistakes in a flag or in the user's file are errors before any work; settings that a project may
 * not make are named and ignored.
 */
export async function readConfigured(flags: ConfigurationFlags = {}): Promise<Configuration> {
  const configuration = await readConfiguration(process.cwd(), flags)
  printNotices(configuration.notices)
  return configuration
}

const printed = new WeakMap<object, Set<string>>()
let isMuted = false

/** For a process that works for another, which prints them itself. */
export function muteNotices(): void {
  isMuted = true
}

/** Once each, on standard error. */
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
 * For commands that an agent starts in the folder of a project, whose settings for the agent may
 * set the environment.
 */
export function distrustEnvironment(): void {
  const names = forgetVariables(process.env)
  if (names.length === 0) return
  printNotices([
    `${names.join(', ')} is ignored here: a project can set the environment of its agent. Your own settings stand in your configuration`,
  ])
}
