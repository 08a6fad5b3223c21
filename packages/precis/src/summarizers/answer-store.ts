import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GenerationRequest, LanguageModel } from '@precis/core/summarizers'
import { findUserFolders } from '../configuration/user-folders.ts'
import { readInputFile } from '../input-file.ts'
import { systemErrorCode } from '../system-error.ts'
import { createTemporaryFile } from '../temporary-file.ts'

/** Answers that were used, by what was asked: a run that was interrupted or is repeated pays for none of them twice. */
export interface AnswerStore {
  /** The same model, asked only for what is not there yet. `address` tells servers of the same name apart. */
  wrap(model: LanguageModel, address: string): LanguageModel
}

const FREE = { calls: 0, inputTokens: 0, outputTokens: 0 }
const LONGEST_AGE_MS = 30 * 24 * 3600 * 1000
const MOST_ANSWERS = 4000
const MOST_BYTES = 64 << 20

/** A folder for its owner only. A store that cannot be read or written is an empty one: it never fails a run. */
export function openAnswerStore(folder = join(findUserFolders().cache, 'answers')): AnswerStore {
  let isOpen = false
  const wrap = (model: LanguageModel, address: string): LanguageModel => ({
    ...model,
    generate: async (request) => {
      request.signal?.throwIfAborted()
      const text = readAnswer(join(folder, findFileName(model.name, address, request)))
      return text === undefined ? model.generate(request) : { type: 'text', text, finishReason: 'stop', usage: FREE }
    },
    remember: async (request, text) => {
      if (!isOpen) open(folder)
      isOpen = true
      await writeAnswer(folder, findFileName(model.name, address, request), text)
    },
  })
  return { wrap }
}

function findFileName(model: string, address: string, { system, prompt }: GenerationRequest): string {
  const hash = createHash('sha256')
  for (const text of [model, address, system, prompt]) hash.update(`${text.length} `).update(text)
  return hash.digest('hex')
}

function readAnswer(path: string): string | undefined {
  try {
    return readInputFile(path).toString('utf8')
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

/** Whole or not there; unlike a session it may be lost, so nobody waits for the disk. */
async function writeAnswer(folder: string, name: string, text: string): Promise<void> {
  const temporary = createTemporaryFile(join(folder, name))
  try {
    await writeFile(temporary.path, text, { mode: 0o600, flag: 'wx' })
    await rename(temporary.path, join(folder, name))
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  } finally {
    temporary.remove()
  }
}

/** Makes the folder, and room in it: the newest answers stay, within the limits. */
function open(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const now = Date.now()
    const files = readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats?.isFile() ? [{ path, bytes: stats.size, writtenAt: stats.mtimeMs }] : []
    })
    files.sort((a, b) => b.writtenAt - a.writtenAt)
    let bytes = 0
    files.forEach((file, index) => {
      bytes += file.bytes
      const isTooOld = now - file.writtenAt > LONGEST_AGE_MS
      if (isTooOld || index >= MOST_ANSWERS || bytes > MOST_BYTES) rmSync(file.path, { force: true })
    })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  }
}
