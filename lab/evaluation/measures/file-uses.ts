/** Which files the agent wrote, and which it only read, by the arguments of its calls. */

import { asObject, asText } from '../../../packages/precis/src/files/lines.ts'
import type { Item } from '../../../packages/precis/src/replay/items.ts'
import { PATCH_OPENING } from './edited-lines.ts'

/** A file that is written counts as written, however often it is read. */
export type FileUse = 'written' | 'read'

const TOOL_USES: ReadonlyMap<string, FileUse> = new Map([
  ...'edit write multiedit notebookedit apply_patch create replace write_file str_replace'
    .split(' ')
    .map((tool) => [tool, 'written'] as const),
  ...'read read_file view'.split(' ').map((tool) => [tool, 'read'] as const),
])

/** The file's names, once for each file: the folder distinguishes files of one name. */
export function listUsedFiles(past: readonly Item[], wanted: FileUse): string[] {
  const uses = new Map<string, FileUse>()
  for (const item of past) {
    if (item.kind !== 'call') continue
    const { files, use } = findFileUse(item)
    for (const file of files) {
      const key = file.replaceAll('\\', '/').replace(/\/+$/, '').split('/').slice(-2).join('/')
      if (key !== '' && uses.get(key) !== 'written') uses.set(key, use)
    }
  }
  return [...uses].flatMap(([key, use]) =>
    use === wanted ? [key.slice(key.lastIndexOf('/') + 1)] : [],
  )
}

function findFileUse({ input, text, name = '' }: Item): { files: readonly string[]; use: FileUse } {
  const patch = asText(input) ?? text
  if (patch.includes(PATCH_OPENING)) {
    const files = [...patch.matchAll(/\*\*\* (?:Update|Add|Delete) File: (\S+)/g)].map(
      (match) => match[1] ?? '',
    )
    return { files, use: 'written' }
  }
  const fields = asObject(input)
  const file = asText(fields?.file_path || fields?.path || fields?.filePath)
  const use = TOOL_USES.get(name.toLowerCase())
  return use && file !== undefined ? { files: [file], use } : { files: [], use: 'read' }
}
