/** The I/O that actions may do: the archive, and the state of conversations. */
import type { ConversationStore } from '@precis/core/following'
import type { ArchivePlace } from '../compression/ports.ts'
import { knowsSummary, rememberSummary } from '../compression/restore-summary.ts'
import type { Owner } from './gateway.ts'

export interface ActHost {
  /** Undefined if nothing is to be kept. */
  readonly archive: ArchivePlace | undefined
  readonly store: ConversationStore
  readonly note: (text: string) => void
  /** Whether precis itself wrote exactly this text. */
  knowsSummary(text: string): Promise<boolean>
  rememberSummary(text: string): Promise<void>
  /** The window of a model in tokens, as an upstream reported it to this owner. */
  findWindow(owner: Owner, model: string): Promise<number | undefined>
  learnWindow(owner: Owner, model: string, tokens: number): Promise<void>
  /** The smallest window that was reported for any model. */
  findSmallestWindow(owner: Owner): Promise<number | undefined>
  /** The body of a session's latest request, if it was kept. */
  readNewestRequest(owner: Owner): Promise<Uint8Array | undefined>
  keepNewestRequest(owner: Owner, body: Uint8Array): Promise<void>
}

export function createActHost(ports: Pick<ActHost, 'archive' | 'store' | 'note'>): ActHost {
  const { store } = ports
  const nameRequest = ({ id, session }: Owner) =>
    session === undefined ? undefined : `${id}/request/${session}`
  const nameWindow = ({ id }: Owner, model: string) => `${id}/window/${model}`
  const nameSmallest = ({ id }: Owner) => `${id}/smallest-window`
  const findTokens = async (key: string) => {
    const tokens = Number((await store.find([key]))?.value)
    return tokens > 0 ? tokens : undefined
  }
  // Another instance may write meanwhile. Its newer value is as good as this one.
  const replace = async (key: string, value: string) => {
    const known = await store.find([key])
    if (known?.value !== value) await store.write(key, value, known?.version)
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
    findWindow: (owner, model) => findTokens(nameWindow(owner, model)),
    findSmallestWindow: (owner) => findTokens(nameSmallest(owner)),
    async learnWindow(owner, model, tokens) {
      await replace(nameWindow(owner, model), String(tokens))
      const smallest = await findTokens(nameSmallest(owner))
      if (smallest === undefined || tokens < smallest)
        await replace(nameSmallest(owner), String(tokens))
    },
  }
}
