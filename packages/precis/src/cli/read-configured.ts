/**
 * The configuration of a command: flags over the environment, over the user's file, over what the
 * project may say.
 */
import type { Command } from 'commander'
import { findArchivePath } from '../archive/open-archive.ts'
import type { Configuration } from '../configuration/configuration.ts'
import {
  type ConfigurationFlags,
  forgetVariables,
  readConfiguration,
} from '../configuration/read-configuration.ts'
import { MODEL_NAMES } from '../language-models/providers.ts'
import { neutralizeLine } from '../terminal/render.ts'

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

/** Which summarizer a command works with, over the configuration. */
export interface SummarizerFlags {
  readonly summarizer?: string
  readonly baseUrl?: string
}

export function addSummarizerOptions(command: Command): Command {
  return command
    .option(
      '--summarizer <name>',
      `what writes summaries: "digest" needs no model (default); or a model: ${MODEL_NAMES.join(', ')}`,
    )
    .option('--base-url <url>', 'address of the server that runs the model of --summarizer')
}

export interface DatabaseFlags {
  readonly database?: string
}

/** Of every command that reads or writes the archive. */
export function addDatabaseOption(command: Command): Command {
  return command.option(
    '--database <file|url>',
    'the archive: a file, or postgres://user@host/database (default: archive.db in your data folder)',
  )
}

/** Of every command that writes a new session. */
export function addArchiveOption(command: Command): Command {
  return addDatabaseOption(
    command.option('--no-archive', 'do not keep the original in the archive'),
  )
}

/** The flag, else `PRECIS_DATABASE`, else the configuration, else the user's own file. */
export async function findArchivePlace({ database }: DatabaseFlags): Promise<string> {
  const { archive } = await readConfigured({ database })
  return archive?.database ?? findArchivePath()
}
