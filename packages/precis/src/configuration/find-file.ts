import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { lilconfig } from 'lilconfig'
import { ConfigurationError } from './configuration-error.ts'

/** A file with settings, before anybody has looked at them. */
export interface FoundFile {
  readonly path: string
  readonly value: unknown
}

/** From the folder up to the root of its repository; without a repository only in the folder itself. */
export function findProjectFile(folder: string): Promise<FoundFile | undefined> {
  const names = ['json', 'ts', 'js', 'mjs'].map((extension) => `precis.config.${extension}`)
  return search(folder, findRepository(folder) ?? resolve(folder), [...names, 'package.json'])
}

/** `config.json`, `config.ts` or `config.js`. */
export function findUserFile(folder: string): Promise<FoundFile | undefined> {
  return search(folder, folder, ['config.json', 'config.ts', 'config.js'])
}

async function search(folder: string, stopDir: string, searchPlaces: string[]): Promise<FoundFile | undefined> {
  const loaders = { '.json': loadJson, '.ts': loadCode, '.js': loadCode, '.mjs': loadCode }
  const found = await lilconfig('precis', { searchPlaces, stopDir, loaders, cache: false }).search(folder)
  return found?.filepath ? { path: found.filepath, value: found.config } : undefined
}

/** Higher up other people may write. */
function findRepository(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

function loadJson(path: string, content: string): unknown {
  try {
    const value: unknown = JSON.parse(content)
    return value ?? {}
  } catch (error) {
    // A package.json in the middle of a merge is not our business.
    if (path.endsWith('package.json')) return {}
    throw unreadable(path, error)
  }
}

async function loadCode(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti')
  try {
    return await createJiti(import.meta.url, { moduleCache: false, fsCache: false }).import(path, { default: true })
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): ConfigurationError {
  const said = error instanceof Error ? error.message : String(error)
  return new ConfigurationError('invalid-configuration', `Reading the configuration "${path}": ${said}`)
}
