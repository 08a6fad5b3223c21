import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../shared/file-entry.ts'

export function findFolder({ CODEX_HOME }: Environment): string {
  return CODEX_HOME || join(homedir(), '.codex')
}
