import { homedir } from 'node:os'

/** The path with the home directory as `~`, as people read it. */
export function shortenHome(path: string): string {
  const home = homedir()
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
