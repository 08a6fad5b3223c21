import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    propertyShare: number
  }
}

/** How often a property is tried: as often as this in the slow lane, a share of it in the fast one. */
export const runs = (count: number): number => Math.ceil(count * inject('propertyShare'))

fc.configureGlobal({ numRuns: runs(100) })
