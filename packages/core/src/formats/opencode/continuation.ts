import type { DocumentContinuation } from '../continuation/continuation.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'

/** Records that OpenCode added to one export, behind those of another. */
export const continuation: DocumentContinuation = {
  joinDocuments(base, grown, added) {
    const first = added.at(0)?.records?.at(0)
    const [before, after] = [findBody(base.document), findBody(grown.document)]
    if (first === undefined || !before || !after) return undefined
    const messages = [...before.records, ...after.records.slice(first)]
    return JSON.stringify({ ...before.body, messages }, null, 2)
  },
}

function findBody(document: unknown): { body: JsonObject; records: readonly unknown[] } | undefined {
  const json = readMember(document, 'json')
  const [body, records] = [readMember(json, 'body'), readMember(json, 'records')]
  return isJsonObject(body) && Array.isArray(records) ? { body, records } : undefined
}
