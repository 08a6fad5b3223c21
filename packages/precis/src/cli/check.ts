import { type Conversation, findModel, type Model } from '@precis/core'
import {
  checkInvariants,
  repairInvariants,
  type Violation,
} from '@precis/core/conversation/invariants'
import { checkLimits, findLimitsOf, findUncounted, lighten } from '@precis/core/engine'
import { loadTokenCounter } from '@precis/core/tokens'
import type { Command } from 'commander'
import { createPorts } from '../compression/compress-named.ts'
import {
  chooseDestination,
  type DestinationOptions,
  writeSession,
} from '../compression/destination.ts'
import { type LoadedSession, toDamageJson } from '../sessions/load-session.ts'
import { renderCount, renderPlural, renderPreview, renderTable, right } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSession } from '../terminal/with-session.ts'
import { exitCodes, wrongUsage } from './failure.ts'
import {
  addJsonOption,
  addSessionArgument,
  createFormatOption,
  type FormatFlags,
} from './session-argument.ts'

interface CheckFlags extends FormatFlags, Omit<DestinationOptions, 'dryRun'> {
  readonly repair?: boolean
}

export function defineCheck(command: Command, terminal: Terminal): void {
  addSessionArgument(command)
    .description(
      'Finds every rule and limit of its provider that a history breaks. The provider would refuse a resume or the next request because of them.',
    )
    .option('--repair', 'write a repaired copy that loses as little as possible (needs --out)')
    .option(
      '-o, --out <file>',
      'write the repaired copy to this file, or to standard output with "-"',
    )
    .addOption(createFormatOption())
  addJsonOption(command)
    .addHelpText('after', CHECK_HELP)
    .action((name: string, flags: CheckFlags) => check(name, flags, terminal))
}

async function check(name: string, flags: CheckFlags, terminal: Terminal): Promise<void> {
  if (flags.repair && flags.out === undefined)
    throw wrongUsage('--repair needs --out <file>: an original is never changed.')
  if (!flags.repair && flags.out !== undefined)
    throw wrongUsage('--out is for the repaired copy: add --repair.')
  await withSession(name, flags.format, terminal, async (session) => {
    const violations = findViolations(session.conversation, findReader(session.conversation))
    const remaining = flags.repair ? await repair(session, flags, terminal) : violations
    const uncounted = findUncountedIn(session.conversation)
    if (flags.json)
      terminal.printJson({
        valid: violations.length === 0,
        violations,
        ...(uncounted.length > 0 && { uncounted }),
        ...toDamageJson(session),
      })
    else if (flags.out === '-') terminal.note(renderCheck(session, violations, terminal))
    else terminal.print(renderCheck(session, violations, terminal))
    if (flags.repair) terminal.note(describeRepair(violations, remaining, flags.out ?? ''))
    process.exitCode = remaining.length === 0 ? exitCodes.done : exitCodes.failed
  })
}

async function repair(
  session: LoadedSession,
  flags: CheckFlags,
  terminal: Terminal,
): Promise<Violation[]> {
  const destination = chooseDestination(session, flags)
  const reader = findReader(session.conversation)
  const valid = repairInvariants(session.conversation)
  const repaired = lighten(valid, findLimitsOf(valid, reader), await loadTokenCounter(reader))
  const { write } = createPorts({ archive: false }, {}, terminal)
  await writeSession({ session, newSession: undefined, destination, conversation: repaired }, write)
  return findViolations(repaired, reader)
}

const findReader = ({ model = '' }: Conversation): Model => findModel(model)

const findUncountedIn = (conversation: Conversation): number[] =>
  findUncounted(conversation, findLimitsOf(conversation, findReader(conversation)))

/** Rules of the provider, and its limits for a request other than tokens. */
function findViolations(conversation: Conversation, reader: Model): Violation[] {
  const found = [
    ...checkInvariants(conversation),
    ...checkLimits(conversation, findLimitsOf(conversation, reader)),
  ]
  return found.sort((a, b) => a.message - b.message)
}

function renderCheck(
  session: LoadedSession,
  violations: readonly Violation[],
  terminal: Terminal,
): string {
  const { colors } = terminal
  const { conversation, format } = session
  const checked = `${renderPlural(conversation.messages.length, 'message')} (${format.name}, rules of ${conversation.protocol})`
  const uncounted = findUncountedIn(conversation).map(renderCount)
  const unknown =
    uncounted.length === 0
      ? ''
      : `\nNot known: how many pages a PDF has in message ${uncounted.join(', ')}. It is encrypted or elsewhere, and counts as one page.`
  if (violations.length === 0) return `${colors.green('valid')}: ${checked}${unknown}`
  const table = renderTable(
    [right('message'), { title: 'rule', style: colors.yellow }, { title: 'found', shrinkTo: 30 }],
    violations.map(({ rule, message, detail }) => [
      renderCount(message),
      rule,
      renderPreview(detail, 200),
    ]),
    terminal,
  )
  return `${colors.red(renderPlural(violations.length, 'violation'))} in ${checked}${unknown}\n\n${table}`
}

function describeRepair(
  violations: readonly Violation[],
  remaining: readonly Violation[],
  out: string,
): string {
  const where = out === '-' ? 'standard output' : out
  if (violations.length === 0) return `Nothing to repair. Wrote an exact copy to ${where}.`
  if (remaining.length === 0) return `Repaired all of it. Wrote ${where}.`
  return `Repaired ${violations.length - remaining.length} of ${violations.length}. Wrote ${where}. Still broken: ${remaining.map(({ rule }) => rule).join(', ')}.`
}

const CHECK_HELP = `
Examples:
  precis check 3f2a
  precis check request.json --json | jq .violations
  precis check broken.jsonl --repair --out repaired.jsonl

Exit codes: 0 valid, or everything was repaired; 1 violations were found or are left; 2 wrong usage; 4 input unreadable or invalid; 130 interrupted.
`
