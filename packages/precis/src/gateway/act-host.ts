/** The I/O that actions may do: the archive, and the state of conversations. */
import type { ConversationStore } from '@precis/core/following'
import type { ArchivePlace } from '../compression/ports.ts'
import { knowsSummary, rememberSummary } from '../compression/restore-summary.ts'
import { nameFailure } from '../files/errors.ts'
import type { Owner } from './gateway.ts'

export interface ActHost {
  /** Undefined if nothing is to be kept. */
  readonly archive: ArchivePlace | undefined
  readonly store: ConversationStore
  readonly note: (text: string) => void
  /** Whether precis itself wrote exactly this text. */
  knowsSummary(text: string): Promise<boolean>
  rememberSummary(text: string): Promise<void>
  /**
   * The window of a model in tokens, as an upstream reported it to this owner. `asked` is the model,
   * with all in a request that changes its window. Never rejects: a request needs no store.
   */
  findWindow(owner: Owner, asked: string): Promise<number | undefined>
  learnWindow(owner: Owner, asked: string, tokens: number): Promise<void>
  /** The smallest window that was reported for any model. Never rejects. */
  findSmallestWindow(owner: Owner): Promise<number | undefined>
  /** The body of a session's latest request, if it was kept. */
  readNewestRequest(owner: Owner): Promise<Uint8Array | undefined>
  keepNewestRequest(owner: Owner, body: Uint8Array): Promise<void>
}

// Providers enlarge windows, and accounts get larger ones. A refused request costs nothing.
const KNOWN_MS = 86_400_000

export function createActHost(ports: Pick<ActHost, 'archive' | 'store' | 'note'>): ActHost {
  const { store } = ports
  const nameRequest = ({ id, session }: Owner) =>
    session === undefined ? undefined : `${id}/request/${session}`
  const nameWindow = ({ id }: Owner, asked: string) => `${id}/window/${asked}`
  const nameSmallest = ({ id }: Owner) => `${id}/smallest-window`
  const findTokens = async (key: string) => {
    const [tokens = 0, learntAt = 0] = ((await store.find([key]))?.value ?? '')
      .split(' ')
      .map(Number)
    return tokens > 0 && learntAt > Date.now() - KNOWN_MS ? tokens : undefined
  }
  // Another instance may write meanwhile. Its newer value is as good as this one.
  const replace = async (key: string, value: string) => {
    const known = await store.find([key])
    if (known?.value !== value) await store.write(key, value, known?.version)
  }
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work()
    } catch (error) {
      ports.note(`what upstreams said of windows is not known: ${nameFailure(error)}`)
      return undefined
    }
  }
  return {
    ...ports,
    knowsSummary: (text) => knowsSummary(store, text),
    rememberSummary: (text) => rememberSummary(store, text),
    async readNewestRequest(owner) {
      const key = nameRequest(owner)
      const stored = key === undefined ? undefined : await store.find([key])
      return stored && Buffer.from(stored.value)
    },
    async keepNewestRequest(owner, body) {
      const key = nameRequest(owner)
      if (key === undefined) return
      await replace(key, Buffer.from(body).toString('utf8'))
    },
    findWindow: (owner, asked) => attempt(() => findTokens(nameWindow(owner, asked))),
    findSmallestWindow: (owner) => attempt(() => findTokens(nameSmallest(owner))),
    learnWindow: (owner, asked, tokens) =>
      attempt(async () => {
        const value = `${tokens} ${Date.now()}`
        await replace(nameWindow(owner, asked), value)
        const smallest = (await findTokens(nameSmallest(owner))) ?? tokens
        if (tokens <= smallest) await replace(nameSmallest(owner), value)
      }),
  }
}
