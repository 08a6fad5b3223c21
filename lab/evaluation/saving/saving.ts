import { Command } from 'commander'
import { parseWindow } from '../../../packages/precis/src/cli/options.ts'
import { addJsonOption } from '../../../packages/precis/src/cli/session-argument.ts'
import {
  measureSession,
  readRecordedSession,
} from '../../../packages/precis/src/replay/recorded-session.ts'
import type { LoadedSession } from '../../../packages/precis/src/sessions/load-session.ts'
import type { Terminal } from '../../../packages/precis/src/terminal/terminal.ts'
import { withSession } from '../../../packages/precis/src/terminal/with-session.ts'
import { type LeftOut, renderSavingReport, toSavingJson } from './saving-report.ts'
import { type SessionStudy, studySession } from './study.ts'

interface SavingFlags {
  readonly lifetime?: number
  readonly hindsight: boolean
  readonly json?: boolean
}

export function createSavingProgram(terminal: Terminal): Command {
  const command = new Command('npm run saving --')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .argument('<sessions...>', 'files or ids of recorded sessions')
    .description(
      'Replays recorded sessions with their real pauses: as usual, to save money, and with their future known, for comparison. Needs no model.',
    )
    .option(
      '--lifetime <seconds>',
      "how long the provider's cache lives (default: its shortest)",
      parseWindow,
    )
    .option(
      '--no-hindsight',
      'leave out what needs the future, which takes minutes for a long session',
    )
  return addJsonOption(command).action((names: readonly string[], flags: SavingFlags) =>
    save(names, flags, terminal),
  )
}

async function save(
  names: readonly string[],
  { lifetime, hindsight, json }: SavingFlags,
  terminal: Terminal,
) {
  const studies: SessionStudy[] = []
  const leftOut: LeftOut[] = []
  for (const [index, name] of names.entries()) {
    const show = (step: string, share: number) => {
      terminal.progress.show(
        `session ${index + 1} of ${names.length}, ${step}`,
        (index + share) / names.length,
      )
    }
    show('reading', 0)
    const study = await withSession(name, undefined, terminal, (session) =>
      studyLoaded(session, lifetime, hindsight, show),
    )
    if (typeof study === 'string') leftOut.push({ session: name, reason: study })
    else studies.push(study)
  }
  terminal.progress.clear()
  if (json) terminal.printJson(toSavingJson({ studies, leftOut }))
  else terminal.print(renderSavingReport({ studies, leftOut }, terminal))
}

/** The reason where it says nothing of money. */
async function studyLoaded(
  session: LoadedSession,
  lifetime: number | undefined,
  withHindsight: boolean,
  onProgress: (step: string, share: number) => void,
): Promise<SessionStudy | string> {
  const recorded = readRecordedSession(session)
  if (recorded.steps.length === 0) return 'it has no answer of a model'
  if (!recorded.hasTimes) return 'it has no times'
  const measured = measureSession(recorded)
  const cacheLifetimeSeconds = lifetime ?? measured.model.cache?.lifetimesSeconds[0]
  const study = await studySession(measured, { cacheLifetimeSeconds, withHindsight, onProgress })
  return study ?? 'the catalogue has no prices for its model'
}
