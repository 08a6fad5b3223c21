import { auto, type Ladder, type Strategy, strategies } from '@precis/core'

/** All that a person may name as a strategy: the ladder, and every strategy on its own. */
export const strategyChoices: Readonly<Record<string, Strategy | Ladder>> = { [auto.name]: auto, ...strategies }
