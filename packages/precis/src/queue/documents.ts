/** Bytes of any size in the database: named by their hash, in deflated pieces that are small enough for a row. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { type QueueConnection, SCHEMA } from './open-queue.ts'
import { QueueError } from './queue-error.ts'

const CHUNK_BYTES = 1 << 20
// One buffer holds it, on both sides; a process needs some times that.
export const MOST_DOCUMENT_BYTES = 1 << 30

const deflate = promisify<Uint8Array, { level: number }, Buffer>(deflateRaw)
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(inflateRaw)

/** Gives its hash. What is there already is not sent again. */
export async function storeDocument({ query }: QueueConnection, bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256').update(bytes).digest()
  const [row] = await query<{ isNew: boolean }>(
    `INSERT INTO ${SCHEMA}.document (hash, bytes) VALUES ($1, $2)
     ON CONFLICT (hash) DO UPDATE SET used_at = now() RETURNING (xmax = 0) AS "isNew"`,
    [hash, bytes.length],
  )
  if (!row?.isNew) return hash
  for (let position = 0; position * CHUNK_BYTES < bytes.length; position++) {
    const chunk = bytes.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES)
    const content = await deflate(chunk, { level: 1 })
    await query(`INSERT INTO ${SCHEMA}.chunk (document, position, content) VALUES ($1, $2, $3)`, [
      hash,
      position,
      content,
    ])
  }
  return hash
}

/** Throws `QueueError` when it is not what its name says. */
export async function readDocument({ query }: QueueConnection, hash: Uint8Array): Promise<Buffer> {
  const [row] = await query<{ bytes: string }>(`SELECT bytes FROM ${SCHEMA}.document WHERE hash = $1`, [hash])
  const chunks: Buffer[] = []
  const byteLength = Number(row?.bytes ?? 0)
  const count = byteLength <= MOST_DOCUMENT_BYTES ? Math.ceil(byteLength / CHUNK_BYTES) : 0
  for (let position = 0; position < count; position++) {
    const [chunk] = await query<{ content: Buffer }>(
      `SELECT content FROM ${SCHEMA}.chunk WHERE document = $1 AND position = $2`,
      [hash, position],
    )
    const content = chunk && (await inflateChunk(chunk.content))
    if (!content) break
    chunks.push(content)
  }
  const bytes = Buffer.concat(chunks)
  if (row && createHash('sha256').update(bytes).digest().equals(hash)) return bytes
  const name = Buffer.from(hash).toString('hex').slice(0, 12)
  throw new QueueError(
    'queue-damaged',
    `Reading document ${name} of the queue: it is not whole. Submit its session again.`,
  )
}

/** Undefined for one that is damaged, or that would be larger than any chunk is. */
async function inflateChunk(content: Uint8Array): Promise<Buffer | undefined> {
  try {
    return await inflate(content, { maxOutputLength: CHUNK_BYTES })
  } catch {
    return undefined
  }
}
