import envPaths from 'env-paths'

export interface UserFolders {
  readonly config: string
  readonly cache: string
}

/** Where this platform keeps settings and what may be lost; on Linux `XDG_CONFIG_HOME` and `XDG_CACHE_HOME` decide. */
export function findUserFolders(): UserFolders {
  const { config, cache } = envPaths('precis', { suffix: '' })
  return { config, cache }
}
