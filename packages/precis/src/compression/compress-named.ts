/** A session by its name, compressed as flags and configuration ask. */
import { setImmediate } from 'node:timers/promises'
import { digest } from '@precis/core'
import type { FormatName } from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'
import type { LocatedFact } from '../archive/locate-facts.ts'
import { locateGone } from '../archive/with-archive.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { ConfigurationFlags } from '../configuration/read-configuration.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { neutralizeLine } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import { compressSession, type DoneCompression, explainRefusal } from './compress-session.ts'
import { createWriter, type DestinationOptions } from './destination.ts'
import { findArchive, type Ports } from './ports.ts'
import { openSummarizer, type SettingFlags, toSettings } from './settings.ts'

export interface NamedFlags extends ConfigurationFlags, SettingFlags, DestinationOptions {
  readonly format?: FormatName
  readonly to?: Agent
  /** Whether the original is kept. */
  readonly archive: boolean
  /** A summary is made, and nothing is written. */
  readonly preview?: boolean
}

export interface CompressionResult extends DoneCompression {
  readonly durationMs: number
  /** The most important removed facts. */
  readonly gone: readonly LocatedFact[]
}

/** A session by path or id, with flags and configuration. Prints nothing of the result. */
export async function compressNamed(
  name: string,
  flags: NamedFlags,
  terminal: Terminal,
): Promise<CompressionResult> {
  // Reading `performance` would load ten modules.
  const startedAt = process.uptime()
  const given = await readConfigured(flags)
  const settings = toSettings(given, flags)
  // A dry run calls no model.
  const summarizer = flags.dryRun ? digest() : await openSummarizer(given.summarizer)
  if (flags.dryRun && (flags.summarizer ?? digest().name) !== digest().name) {
    terminal.note(
      `precis: a dry run calls no model. ${digest().name} replaces ${flags.summarizer}.`,
    )
  }
  terminal.progress.show('reading', 0.05)
  return await withSession(name, flags.format, terminal, async (source) => {
    // Reading a large session blocks the process. An interruption takes effect here.
    await setImmediate()
    const result = await compressSession(
      source,
      { settings, to: flags.to, destination: { ...flags, dryRun: flags.dryRun || flags.preview } },
      { summarizer, ...createPorts(flags, given, terminal) },
    )
    terminal.progress.clear()
    if (result.type === 'refused') throw explainRefusal(name, result.why)
    if (result.outcome.type === 'unchanged' && flags.pin) {
      terminal.note(
        'precis: the pinned text is not recorded, because nothing had to be compressed.',
      )
    }
    const gone = await locateGone(result.report.receipt.gone, result.kept, flags)
    return { ...result, gone, durationMs: (process.uptime() - startedAt) * 1000 }
  })
}

/** The ports of a use case: the terminal, and the archive if originals are to be kept. */
export function createPorts(
  { archive: isKept }: { readonly archive: boolean },
  { archive }: Pick<Configuration, 'archive'>,
  terminal: Terminal,
): Ports {
  const note = (text: string) => terminal.note(neutralizeLine(`precis: ${text}`))
  return {
    archive: isKept ? findArchive(archive) : undefined,
    write: createWriter((chunks) => terminal.printBytes(chunks), note),
    note,
    progress: (step, fraction) => terminal.progress.show(step, fraction),
  }
}
