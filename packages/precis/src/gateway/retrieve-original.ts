/** `/v1/retrieve`: returns what a compression removed, only to the owner of the conversation. */
import { type ArchivedCompression, listCompressions } from '../archive/compressions.ts'
import { openArchive } from '../archive/open-archive.ts'
import {
  createRecordReader,
  DAMAGED_SPAN,
  findSpan,
  listSpans,
  readWholeRecords,
} from '../archive/read-original.ts'
import { searchRemoved } from '../archive/search-index.ts'
import { renderRecordText } from '../archive/searchable-text.ts'
import type { Database } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import type { SidecarAnswer, SidecarRequest } from './gateway.ts'
import { isOfOwner } from './owner.ts'

type RetrieveRequest = Extract<SidecarRequest, { readonly type: 'retrieve' }>

// About 15 000 tokens, because it becomes the result of a tool.
const MOST_CHARACTERS = 60_000
const MOST_FOUND = 8
const REFERENCE = /^[0-9a-f]{6,64}$/i

/**
 * Answers the same for what belongs to another owner and for what does not exist. Rejects only for
 * bugs.
 */
export async function retrieveOriginal(
  request: RetrieveRequest,
  place: string | undefined,
): Promise<SidecarAnswer> {
  let database: Database | undefined
  try {
    database = await openArchive(place)
    const entry = database && (await findOwn(database, request))
    if (!database || !entry) return render(404, { error: NOT_FOUND })
    const text = await read(database, entry, request)
    const content = text.slice(0, MOST_CHARACTERS)
    const rest = text.length - content.length
    const cut =
      rest > 0 ? `\n[${rest} characters more: ask with a query, or for one record with span]` : ''
    return render(200, {
      hash: request.reference,
      reference: entry.name,
      original_content: `${content}${cut}`,
    })
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    if (error.code === 'no-such-span') return render(404, { error: NOT_FOUND })
    return render(503, { error: { type: 'archive_error', message: error.message } })
  } finally {
    await database?.close()
  }
}

const NOT_FOUND = { type: 'not_found', message: 'nothing of yours is kept under this hash' }

async function findOwn(
  database: Database,
  { reference, owner }: RetrieveRequest,
): Promise<ArchivedCompression | undefined> {
  if (!REFERENCE.test(reference)) return undefined
  const asked = reference.toLowerCase()
  const isMeant = ({ name, originalHash }: ArchivedCompression) =>
    name === asked || originalHash.startsWith(asked)
  // Two owners may have sent the same messages.
  return (await listCompressions(database)).find(
    (entry) => isOfOwner(entry.originalId, owner.id) && isMeant(entry),
  )
}

async function read(
  database: Database,
  entry: ArchivedCompression,
  { query, span }: RetrieveRequest,
): Promise<string> {
  if (span !== undefined) {
    return renderRecordText(
      await createRecordReader(database)((await findSpan(database, entry, span)).record),
    )
  }
  if (query !== undefined) {
    const found = await searchRemoved(database, [entry], query, MOST_FOUND)
    if (found.length === 0) return 'Nothing that was removed has these words.'
    return found
      .map(({ span, label, excerpt }) => `span ${span}, ${label}:\n${excerpt}`)
      .join('\n\n')
  }
  const texts: string[] = []
  let characters = 0
  const spans = await listSpans(database, entry)
  for await (const bytes of readWholeRecords(database, spans)) {
    const { span, label } = spans[texts.length] ?? {}
    const text = `span ${span}, ${label}:\n${bytes ? renderRecordText(bytes) : DAMAGED_SPAN}`
    texts.push(text)
    characters += text.length
    if (characters > MOST_CHARACTERS) break
  }
  return texts.join('\n\n')
}

function render(status: number, reply: object): SidecarAnswer {
  return { status, body: JSON.stringify(reply) }
}
