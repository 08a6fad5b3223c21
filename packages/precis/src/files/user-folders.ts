/** The user's folders, home and time zone. */
import { homedir } from 'node:os'
import envPaths from 'env-paths'

/**
 * The folders of this platform for settings, caches and data. On Linux `XDG_CONFIG_HOME`,
 * `XDG_CACHE_HOME` and `XDG_DATA_HOME` decide.
 */
export function findUserFolders() {
  return envPaths('precis', { suffix: '' })
}

/** The path with the home directory as `~`, as people read it. */
export function shortenHome(path: string): string {
  const home = homedir()
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}

/**
 * ISO 8601 to the second in the time zone of this machine, without its offset:
 * `2026-11-21T13:05:09`.
 */
export function renderLocalTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
