import { readFileSync, statSync } from 'node:fs'
import { digest } from '@precis/core'
import type { Command } from 'commander'
import { REFERENCE_DIGITS } from '../agents/find-recall-path.ts'
import { mayCompress } from '../agents/gemini-cli.ts'
import { type ArchivePlace, keepDocument, keepSession } from '../agents/keep-session.ts'
import { createPiDocument, type PiCompaction, type PiDocument, summarizeForPi } from '../agents/pi-compaction.ts'
import { findRecallTool } from '../agents/recall-tool.ts'
import { findNewestEntry } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import type { Stored } from '../archive/store-original.ts'
import { forgetVariables, readConfiguration } from '../configuration/read-configuration.ts'
import { asObject, asText, type JsonObject } from '../sessions/lines.ts'
import { loadSession, NO_DAMAGE } from '../sessions/load-session.ts'
import { createMemorySource } from '../sessions/read-document.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { neutralizeText } from '../terminal/terminal-text.ts'
import { exitCodes } from './exit-codes.ts'
import { findQuotaBytes } from './keep-original.ts'
import { renderDamage } from './session-argument.ts'

interface HookFlags {
  readonly verbose?: boolean
}

// Below what the agents are told to wait.
const MOST_MS = 55_000

export function defineHook(command: Command, terminal: Terminal): void {
  command
    .argument('<agent>', 'whose hook it is, as "precis install" writes it')
    .description(
      'What agents run before they compact a session: it keeps the session in the archive. It reads what the agent tells on standard input, and it never fails: whatever goes wrong, the agent goes on.',
    )
    .option('-v, --verbose', 'say on standard error why nothing was done')
    // A later version may give it more words; a wrong usage would stop the compaction of Claude Code.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', HOOK_HELP)
    .action((agent: string, flags: HookFlags) => hook(agent, flags, terminal))
}

async function hook(agent: string, { verbose }: HookFlags, terminal: Terminal): Promise<void> {
  const deadline = setTimeout(() => process.exit(exitCodes.done), MOST_MS).unref()
  const note = (text: string) => {
    if (verbose) terminal.note(neutralizeText(`precis: ${text}`))
  }
  try {
    const answer = await answerHook(agent, await readInput(), note)
    // Some agents take every other line for an answer.
    if (answer) process.stdout.write(JSON.stringify(answer))
  } catch (error) {
    note(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(deadline)
  }
}

async function readInput(): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  const input = asObject(JSON.parse(Buffer.concat(chunks).toString()))
  if (!input) throw new TypeError('Reading what the agent tells: it is no JSON object.')
  return input
}

async function answerHook(agent: string, input: JsonObject, note: (text: string) => void): Promise<object | undefined> {
  const place = await findPlace(note)
  if (agent === 'pi') return await answerPi(input, place, note)
  const session = asText(input.transcript_path) ?? asText(input.session_id)
  if (!place || session === undefined) return undefined
  if (input.hook_event_name === 'SessionStart') return await sayWhatIsKept(asText(input.session_id) ?? session, place)
  const isAutomatic = agent === 'gemini-cli' && input.trigger === 'auto'
  const kept = await keepSession(session, place, (loaded) => {
    for (const line of renderDamage(loaded)) note(line)
    return !isAutomatic || mayCompress(loaded, process.env)
  })
  return agent === 'opencode' && kept ? { kept: kept.hash } : undefined
}

/** Undefined where the person wants nothing kept. */
async function findPlace(note: (text: string) => void): Promise<ArchivePlace | undefined> {
  const forgotten = forgetVariables(process.env).map((name) => `${name} is ignored in a hook: a project can set it`)
  const { archive, notices } = await readConfiguration(process.cwd())
  for (const notice of [...forgotten, ...notices]) note(notice)
  if (archive?.enabled === false) return undefined
  return { database: archive?.database, quotaBytes: findQuotaBytes(archive) }
}

/** For the model that goes on behind a compaction of Claude Code. */
async function sayWhatIsKept(sessionId: string, { database: place }: ArchivePlace): Promise<object | undefined> {
  const tool = findRecallTool('claude-code')
  const database = tool && (await openArchive(place))
  if (!database) return undefined
  try {
    const { command, originalHash } = await findNewestEntry(database, sessionId)
    // Nothing was kept at this compaction.
    if (command !== 'compact') return undefined
    const reference = originalHash.slice(0, REFERENCE_DIGITS)
    return {
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        additionalContext: `What was said before the compaction is kept word for word under reference ${reference}: rather than guess or do the work again, call ${tool.toolName} with {"reference": "${reference}", "query": "<a few words>"}.`,
      },
    }
  } finally {
    await database.close()
  }
}

async function answerPi(
  input: JsonObject,
  place: ArchivePlace | undefined,
  note: (text: string) => void,
): Promise<object | undefined> {
  const compaction = readPiCompaction(input)
  const document = compaction && createPiDocument(compaction)
  if (!document) return undefined
  const [kept] = place ? await Promise.allSettled([keepPiSession(input, document, compaction, place, note)]) : []
  const reference = kept?.status === 'fulfilled' ? kept.value.hash.slice(0, REFERENCE_DIGITS) : undefined
  const { mostTokens, instructions } = compaction
  return await summarizeForPi(document, {
    mostTokens,
    summarizer: digest(),
    ...(instructions !== undefined && { instructions }),
    ...(reference !== undefined && { recall: { tool: 'recall', reference } }),
  })
}

function readPiCompaction({ header, entries, firstKeptEntryId, mostTokens, instructions }: JsonObject) {
  const known = asObject(header)
  if (!known || !Array.isArray(entries) || typeof firstKeptEntryId !== 'string') return undefined
  const list: readonly unknown[] = entries
  const compaction: PiCompaction = {
    header: known,
    entries: list.map(asObject).filter((entry) => entry !== undefined),
    firstKeptEntryId,
    mostTokens: typeof mostTokens === 'number' ? mostTokens : 0,
    ...(typeof instructions === 'string' && { instructions }),
  }
  return compaction
}

/** The file as it is where pi is at its end; on another branch, or without a file, what pi told. */
async function keepPiSession(
  input: JsonObject,
  { text, conversation, cut }: PiDocument,
  { entries }: PiCompaction,
  place: ArchivePlace,
  note: (text: string) => void,
): Promise<Stored> {
  const path = asText(input.sessionFile)
  const sessionId = asText(input.sessionId)
  const keptCount = conversation.messages.length - cut
  if (path === undefined || !isAtItsEnd(path, entries.at(-1)?.id)) {
    const source = createMemorySource(Buffer.from(text))
    const kept = conversation.messages.slice(cut)
    const told = { source, format: 'pi', sessionId, path: undefined, conversation, damage: NO_DAMAGE, kept } as const
    return await keepDocument(told, place)
  }
  const session = await loadSession(path)
  try {
    const { source } = session.document
    const kept = session.conversation.messages.slice(-keptCount)
    const { conversation: whole, damage } = session
    for (const line of renderDamage(session)) note(line)
    return await keepDocument({ source, format: 'pi', sessionId, path, conversation: whole, damage, kept }, place)
  } finally {
    session.document.close()
  }
}

function isAtItsEnd(path: string, id: unknown): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return last.startsWith('{') && asObject(JSON.parse(last))?.id === id
}

const HOOK_HELP = `
Agents run it; "precis install" tells them to. To see what it would do by hand:
  echo '{"transcript_path":"session.jsonl"}' | precis hook claude-code --verbose

Exit codes: 0 always, but for a wrong command line.
`
