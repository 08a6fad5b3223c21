import type { FileHandle } from 'node:fs/promises'
import { ToolError } from './tool-error.ts'
import { openRegularFile, type WorkspacePath } from './workspace.ts'

/** More is no text that a person wrote. */
const LARGEST_TEXT_FILE_BYTES = 10 << 20
const SAMPLE_BYTES = 8000

/** All of a text file. Rejects with `ToolError` when it is too large or binary. */
export async function readTextFile(path: WorkspacePath): Promise<string> {
  const { file, bytes } = await openRegularFile(path)
  try {
    if (bytes > LARGEST_TEXT_FILE_BYTES) {
      throw new ToolError(
        `"${path.shown}" has ${bytes} bytes; at most ${LARGEST_TEXT_FILE_BYTES} can be read. Use search to find the part you need.`,
      )
    }
    // It may grow while it is read.
    const content = await readAtMost(file, Math.min(bytes + SAMPLE_BYTES, LARGEST_TEXT_FILE_BYTES))
    if (isBinary(content)) throw new ToolError(`"${path.shown}" is binary (${bytes} bytes); it is not read.`)
    return content.toString('utf8')
  } finally {
    await file.close()
  }
}

async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  while (length < maxBytes) {
    const { bytesRead } = await file.read(buffer, length, maxBytes - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/** A null byte in the beginning, as Git tells it; UTF-16 counts as binary. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, SAMPLE_BYTES).includes(0)
}
