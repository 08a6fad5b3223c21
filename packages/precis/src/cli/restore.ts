import type { Command } from 'commander'
import { quoteForShell } from '../agents/shared/session-files.ts'
import type { ArchivedCompression } from '../archive/compressions.ts'
import { createRecordReader, findSpan, readOriginal } from '../archive/read-original.ts'
import { SessionError } from '../files/errors.ts'
import { findExisting, writeFileAtomically } from '../files/write-file.ts'
import { isFileOf } from '../sessions/find-sessions.ts'
import { neutralizeLine, neutralizeText, renderBytes } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import {
  type ArchivedSessionFlags,
  addArchivedSessionArgument,
  withArchivedSession,
} from './archived-session.ts'
import { wrongUsage } from './failure.ts'
import { addJsonOption } from './session-argument.ts'

interface RestoreFlags extends ArchivedSessionFlags {
  readonly out?: string
}

export function defineRestore(command: Command, terminal: Terminal): void {
  addArchivedSessionArgument(command)
    .argument(
      '[span]',
      'only this record: its number in "precis diff --full", or the beginning of its hash',
    )
    .description(
      'Prints the original of a session that "precis compress" or "precis clone" made: all of it, or one record, byte for byte. It is compared with its hash first.',
    )
    .option('-o, --out <file>', 'write to this file instead of standard output')
  addJsonOption(command)
    .addHelpText('after', RESTORE_HELP)
    .action((name: string, span: string | undefined, flags: RestoreFlags) =>
      restore(name, span, flags, terminal),
    )
}

async function restore(
  name: string,
  reference: string | undefined,
  flags: RestoreFlags,
  terminal: Terminal,
) {
  const { out, json } = flags
  const path = out === '-' ? undefined : out
  if (json && path === undefined) {
    throw wrongUsage(
      'The original and --json cannot both go to standard output. Give a file with --out.',
    )
  }
  if (path === undefined && out === undefined && reference === undefined && process.stdout.isTTY) {
    const command = `precis restore ${quoteForShell(neutralizeLine(name))} --out original.jsonl`
    throw wrongUsage(
      `Restoring "${name}" to a terminal: it is a whole session. Write it to a file: ${command}`,
    )
  }
  await withArchivedSession(name, flags, terminal, async (database, compression, damage) => {
    const span =
      reference === undefined ? undefined : await findSpan(database, compression, reference)
    const chunks = span
      ? [await createRecordReader(database)(span.record)]
      : await readOriginal(database, compression)
    if (path === undefined) return await print(chunks, terminal)
    assertOther(path, compression)
    const bytes = await writeFileAtomically(path, chunks)
    if (json)
      terminal.printJson({
        entry: compression.name,
        output: path,
        span: span?.span ?? null,
        bytes,
        ...damage,
      })
    else terminal.note(`Restored ${renderBytes(bytes)} to ${neutralizeLine(path)}`)
  })
}

/** An agent may have continued either of them. Other sessions may be in the same file. */
export function assertOther(
  path: string,
  {
    originalPath,
    path: resultPath,
    damaged,
  }: Pick<ArchivedCompression, 'originalPath' | 'path' | 'damaged'>,
): void {
  const existing = findExisting(path)
  if (!existing) return
  if (damaged?.includes('path') || damaged?.includes('originalPath')) {
    const found = 'the file exists, and may be a session that the archive no longer knows'
    throw new SessionError(
      'same-file',
      `Writing "${path}": ${found}. Give a file that does not exist yet.`,
    )
  }
  const isFile = (known: string | null) =>
    known !== null && isFileOf({ path: known, stats: undefined }, existing)
  const isOriginal = isFile(originalPath)
  if (!isOriginal && !isFile(resultPath)) return
  const which = isOriginal ? 'the original itself is still there' : 'it is the compressed session'
  throw new SessionError(
    'same-file',
    `Writing "${path}": ${which}, and precis never changes a session. Give another file.`,
  )
}

/** On a terminal, escapes everything that acts on it. Anywhere else, every byte stays. */
async function print(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  terminal: Terminal,
): Promise<void> {
  if (!process.stdout.isTTY) return void (await terminal.printBytes(chunks))
  for await (const chunk of chunks) {
    const text = neutralizeText(Buffer.from(chunk).toString('utf8').trimEnd())
    await terminal.printBytes([Buffer.from(`${text}\n`)])
  }
}

const RESTORE_HELP = `
Examples:
  precis restore 3f2a --out original.jsonl
  precis restore 3f2a 12                        one record that was removed or changed
  precis restore 3f2a | precis inspect -

Exit codes: 0 done, 1 failed, 2 wrong usage, 4 nothing of it is kept, 130 interrupted.
`
