/** The numbers that decide what a digest holds; `weights.data.ts` has them, docs/digest.md says how they were found. */

/** In names, where nothing else is said: a name that a recent step used weighs about 1. */
export interface Weights {
  /** Worth of a name however long ago it was used, beside 1 for the newest. */
  readonly nameFloor: number
  /** Share of the span after which a name has lost two thirds of its recency. */
  readonly nameSpan: number
  /** What each doubling of a name's uses adds, as a share. */
  readonly nameUses: number
  /** Extra share for a name that somebody, not a tool, has just written. */
  readonly nameWritten: number
  /** Factors for names that the person wrote, the agent said, a call held. */
  readonly nameFromUser: number
  readonly nameFromAgent: number
  readonly nameFromCall: number
  /** What a name is worth the second time it stands there, as a share; the third time that share of the second, and so on. */
  readonly nameAgain: number
  /** Tokens that each line pays before its length counts: short lines are cheap and tell little. */
  readonly lineCost: number
  /** The agent's words that close a turn, or that an earlier summary carries; its other words. */
  readonly closingWords: number
  readonly otherWords: number
  /** Factor for the first line of closing words. */
  readonly openingWords: number
  /** Extra worth of words that decide or explain. */
  readonly decidingWords: number
  /** What the agent said an edit was for. */
  readonly purpose: number
  /** Lines of files: written by the agent, only shown; both fade with age to this power. */
  readonly writtenLine: number
  readonly shownLine: number
  readonly lineFading: number
  /** What was touched last is touched next: a line of the newest file shown, and in how many such steps that fades. */
  readonly hotLine: number
  readonly hotSteps: number
  /** A line beside one that was chosen: pieces of code tell more than scattered lines. */
  readonly besideLine: number
  /** How much less a line is worth the more lines were shown with it: power of their number beyond a screenful. */
  readonly crowding: number
  /** Factor for lines that import something: most changes need another one. */
  readonly importLine: number
  /** Lines near the end of the span that report an error. */
  readonly errorLine: number
  /** Lines that another agent reported. */
  readonly reportLine: number
  /** Commands, searches, and each doubling of their repetitions. */
  readonly command: number
  readonly search: number
  readonly repetition: number
  /** Largest parts of the budget for words, lines of changed files, lines of read files, commands, and any one file. */
  readonly wordsShare: number
  readonly changedShare: number
  readonly readShare: number
  readonly commandShare: number
  readonly fileShare: number
}
