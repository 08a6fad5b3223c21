/**
 * Makes a copy of a session in which older turns are shorter, in the requested steps.
 *
 *   load ─► apply the steps ─► keep the original ─► write ─► record where the clone comes from
 */
import { setImmediate } from 'node:timers/promises'
import {
  type AppliedStrategies,
  applyStrategies,
  createBands,
  createClearTools,
  findModel,
  type StepsReport,
  type Strategy,
  type Summarizer,
} from '@precis/core'
import { withoutRecall } from '@precis/core/engine'
import type { NewSession } from '@precis/core/formats'
import { type Band, createClearReasoning } from '@precis/core/strategies'
import { loadTokenCounter } from '@precis/core/tokens'
import { CompressionError, explainSystemError } from '../files/errors.ts'
import { findRecallPath } from '../installation/recall-tool.ts'
import {
  type CloneGeneration,
  describeOriginal,
  readLineage,
  writeLineage,
} from '../sessions/lineage.ts'
import type { LoadedSession } from '../sessions/load-session.ts'
import { findRecordedContext, type RecordedContext } from '../sessions/recorded-context.ts'
import { renderCount } from '../terminal/render.ts'
import {
  chooseDestination,
  createNewSession,
  type DestinationOptions,
  readBack,
  renderFirstPrompt,
} from './destination.ts'
import { assertUnchanged, hashParsed, keepOriginal, writeKept } from './keep-original.ts'
import type { Destination, Kept, NewResult, Ports } from './ports.ts'
import type { CompressionSettings } from './settings.ts'
import { describeTarget, findTarget, type Target } from './target.ts'

/** The treatment of tool calls in the oldest turns. */
export interface ToolSetting {
  readonly mode: 'remove' | 'truncate' | 'mask'
  readonly percent: number
}

export interface CloneSettings {
  readonly profile: string | undefined
  /** Ordered by their start. */
  readonly bands: readonly Band[]
  readonly tools: ToolSetting | undefined
  /** Percent of the turns, oldest first, whose reasoning is removed. */
  readonly reasoning: number
  readonly includeUser: boolean
  readonly minTokens: number
}

export interface CloneRequest
  extends Pick<CompressionSettings, 'instructions' | 'model' | 'windowTokens'> {
  readonly settings: CloneSettings
  /** As `createSteps` returns them for the settings. */
  readonly steps: readonly Strategy[]
  readonly destination: DestinationOptions
}

export interface ClonePorts extends Ports {
  /** Undefined if no step needs one. */
  readonly summarizer: Summarizer | undefined
}

export interface ClonedSession extends NewResult {
  readonly settings: CloneSettings
  readonly report: StepsReport
  /** Whether this is a preview, in which no summarizer is called. */
  readonly isDryRun: boolean
  readonly isChanged: boolean
  readonly recorded: RecordedContext | undefined
  /** The largest allowed conversation. Undefined if there is no window. */
  readonly room: Target | undefined
  /** Size of the result, written or not. */
  readonly bytes: number
  /** Latest first. Contains only written results. */
  readonly lineage: readonly CloneGeneration[]
  /** In the archive. Undefined if keeping the original was not requested. */
  readonly kept: Kept | undefined
}

/**
 * Steps without cost come first, so that no summarizer gets text that is cleared anyway. Throws
 * `CompressionError`.
 */
export function createSteps({
  tools,
  reasoning,
  bands,
  includeUser,
  minTokens,
}: CloneSettings): Strategy[] {
  const steps: Strategy[] = []
  if (tools && tools.percent > 0) {
    steps.push(createClearTools({ mode: tools.mode, zone: { fraction: tools.percent / 100 } }))
  }
  if (reasoning > 0) steps.push(createClearReasoning({ zone: { fraction: reasoning / 100 } }))
  try {
    if (bands.length > 0) steps.push(createBands({ bands, includeUser, minTokens }))
  } catch (error) {
    if (error instanceof RangeError) throw new CompressionError('wrong-usage', error.message)
    throw error
  }
  return steps
}

/**
 * If no step finds anything, the session is only written to a requested place, as the same bytes.
 */
export async function cloneSession(
  session: LoadedSession,
  request: CloneRequest,
  ports: ClonePorts,
): Promise<ClonedSession> {
  const { settings, steps, instructions, model, windowTokens } = request
  const isDryRun = request.destination.dryRun === true
  const parsedHash = hashParsed(session)
  const asked = chooseDestination(session, request.destination)
  const { conversation: before, agent, document } = session
  const recall = ports.archive && (await findRecallPath(document.source, agent))
  const counter = await loadTokenCounter(findModel(model ?? before.model ?? ''))
  const recorded = findRecordedContext(session, counter)
  const room =
    windowTokens === undefined
      ? undefined
      : findTarget({ windowTokens }, before, counter, recorded?.notInFileTokens)
  const applied = await applyStrategies(before, steps, {
    counter,
    dryRun: isDryRun,
    summarizer: ports.summarizer,
    instructions,
    recall,
    isKept: ports.archive !== undefined,
    onProgress: (step, done, total) => showProgress(ports, step, done, total),
  })
  assertSomethingCame(session, applied)
  if (room) assertFits(session, applied, room)
  // The engine blocks the process. An interruption takes effect here, before anything is written.
  await setImmediate()
  ports.progress('writing', 0.95)
  const isChanged = applied.conversation !== before
  const isClone = isChanged || steps.length === 0
  const destination: Destination = !isClone && asked.type === 'agent' ? { type: 'nowhere' } : asked
  const newSession = isClone ? nameClone(session, destination) : undefined
  const result = { session, newSession, destination }
  const done = { ...result, settings, isDryRun, isChanged, recorded, room }
  if (!isClone && destination.type === 'nowhere') {
    return {
      ...done,
      report: applied.report,
      bytes: document.source.byteLength,
      lineage: [],
      kept: undefined,
    }
  }
  if (!isChanged && destination.type !== 'nowhere') assertUnchanged(session, parsedHash)
  const kept = isChanged
    ? await keepOriginal(session, parsedHash, { ...result, ...applied, command: 'clone' }, ports)
    : undefined
  // What was not kept cannot be recalled.
  const { conversation, report: counted } =
    kept && 'problem' in kept ? withoutRecall(applied) : applied
  const written = isChanged ? readBack(session, conversation, newSession) : conversation
  const { upper: tokens } = counter.countConversation(written)
  const report = { ...counted, after: { messages: written.messages.length, tokens } }
  const lineage =
    isClone && 'path' in destination ? describeLineage(session, settings, report, newSession) : []
  const bytes = await writeKept(kept, { ...result, conversation, report }, ports)
  // Runs right after the session is written, so that an interruption leaves both or neither.
  if ('path' in destination && lineage.length > 0)
    await keepLineage(destination.path, lineage, ports)
  return { ...done, report, bytes, lineage, kept }
}

// How much of a clone is done when a step begins. If there are rewrites, they take most of the
// time.
const STEPS = { measure: 0.1, plan: 0.15, summarize: 0.2, check: 0.9 }

function showProgress(
  { progress }: Ports,
  step: keyof typeof STEPS,
  done?: number,
  total?: number,
): void {
  if (done === undefined || !total) progress(step, STEPS[step])
  else
    progress(
      `${step} ${done} of ${total}`,
      STEPS.summarize + (STEPS.check - STEPS.summarize) * (done / total),
    )
}

/** If every call fails, the clone would be a plain copy, which was not requested. */
function assertSomethingCame(
  session: LoadedSession,
  { conversation, report }: AppliedStrategies,
): void {
  const { asked, failed } = report.rewrites
  if (conversation !== session.conversation || asked === 0 || failed < asked) return
  throw new CompressionError(
    'summarizer-failed',
    `Cloning "${session.name}": all ${asked} texts failed, nothing was saved and nothing was written. ${report.problems[0] ?? ''}`.trim(),
    { rewrites: report.rewrites, problems: report.problems },
  )
}

function assertFits({ name }: LoadedSession, { report }: AppliedStrategies, room: Target): void {
  // In a dry run, no text was rewritten yet.
  const planned = report.steps.reduce((sum, { plannedSaving }) => sum + plannedSaving, 0)
  const tokens = report.after.tokens - planned
  if (tokens <= room.tokens) return
  throw new CompressionError(
    'cannot-fit',
    `Cloning "${name}": with these steps it has ${renderCount(tokens)} tokens, and the room is ${describeTarget(room)}. Nothing was written. Let more go, or give the window to "precis compress".`,
  )
}

function nameClone(session: LoadedSession, destination: Destination): NewSession | undefined {
  const newSession = createNewSession(session, destination)
  const prompt = renderFirstPrompt(session.head?.firstPrompt)
  return newSession && { ...newSession, title: prompt ? `${prompt} (clone)` : 'Cloned session' }
}

function describeLineage(
  { document, head }: LoadedSession,
  settings: CloneSettings,
  report: StepsReport,
  newSession: NewSession | undefined,
): CloneGeneration[] {
  const { before, after, steps, rewrites, problems, usage } = report
  const newest: CloneGeneration = {
    sessionId: newSession?.sessionId,
    original: describeOriginal(document, head?.sessionId),
    clonedAt: newSession?.timestamp ?? new Date().toISOString(),
    settings: { ...settings, summarizer: report.summarizer, model: report.model },
    // Contains only numbers.
    statistics: {
      before,
      after,
      steps,
      rewrites,
      problems: problems.length,
      ...(usage && { usage }),
    },
  }
  return [newest, ...readLineage(document, head?.sessionId)]
}

/** The clone is complete even without the lineage. */
async function keepLineage(
  path: string,
  lineage: readonly CloneGeneration[],
  { note }: Ports,
): Promise<void> {
  try {
    await writeLineage(path, lineage)
  } catch (error) {
    note(`the clone was written, but not where it comes from: ${explainSystemError(error)}`)
  }
}
