/** What acts may ask of the world: the archive, and the state of conversations. */
import type { ConversationStore } from '@precis/core/following'
import type { ArchivePlace } from '../compression/ports.ts'
import { knowsSummary, rememberSummary } from '../compression/restore-summary.ts'
import type { Owner } from './gateway.ts'

export interface ActHost {
  /** Undefined where nothing is to be kept. */
  readonly archive: ArchivePlace | undefined
  readonly store: ConversationStore
  readonly note: (text: string) => void
  /** Whether precis itself made this very text. */
  knowsSummary(text: string): Promise<boolean>
  rememberSummary(text: string): Promise<void>
  /** The window of a model in tokens, as an upstream of this owner said it. */
  findWindow(owner: Owner, model: string): Promise<number | undefined>
  learnWindow(owner: Owner, model: string, tokens: number): Promise<void>
  /** Of all models that were learnt of. */
  findSmallestWindow(owner: Owner): Promise<number | undefined>
  /** The body of the newest request of a session, where it was kept. */
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
  // Another instance may write meanwhile: what is newer there is as good as this.
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
