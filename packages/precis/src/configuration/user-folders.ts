import envPaths from 'env-paths'

export interface UserFolders {
  readonly config: string
  readonly cache: string
  readonly data: string
}

/**
 * Where this platform keeps settings, what may be lost, and what may not; on Linux `XDG_CONFIG_HOME`, `XDG_CACHE_HOME` and
 * `XDG_DATA_HOME` decide.
 */
export function findUserFolders(): UserFolders {
  const { config, cache, data } = envPaths('precis', { suffix: '' })
  return { config, cache, data }
}
