/**
 * The numbers that decide what a digest holds, written by lab/training/train.ts; lab/README.md says how they were found.
 * In names, unless noted: a name that a recent step used weighs about 1.
 */
export const weights = {
  /** Worth of a name however long ago it was used, beside 1 for the newest. */
  nameFloor: 0.8,
  /** Share of the span after which a name has lost two thirds of its recency. */
  nameSpan: 0.3,
  /** Added for each doubling of a name's uses, as a share. */
  nameUses: 0.3,
  /** Extra share for a name just written, and not by a tool. */
  nameWritten: 0.3,
  /** Factors for names that the user wrote, the agent said, a call held. */
  nameFromUser: 1.8,
  nameFromAgent: 0.96,
  nameFromCall: 1.8,
  /** Worth of a name the second time it occurs in the digest, as a share; the third time that share of the second, and so on. */
  nameAgain: 0.2,
  /** Tokens that each line pays before its length counts: short lines are cheap and tell little. */
  lineCost: 6,
  /** A token of an answer: words that close a turn. */
  answer: 0.1,
  /** Added, as a share, to what was asked for, to findings, to what later words speak of. */
  askedFor: 3,
  findings: 2,
  referred: 3,
  /** A line of what a model's summary says; the agent's words between its steps. */
  closingWords: 8.4,
  otherWords: 3.8,
  /** Factor for the first block of an answer. */
  openingWords: 1.4,
  /** Extra worth of other words that decide or explain. */
  decidingWords: 2,
  /** Worth of the agent's words on what an edit was for. */
  purpose: 1.2,
  /** Lines of files: written by the agent, only shown; both fade with age to this power. */
  writtenLine: 3,
  shownLine: 0.4,
  lineFading: 1.5,
  /** Files touched last are touched next: worth of a line of the newest file shown, and in how many such steps it fades. */
  hotLine: 4,
  hotSteps: 3,
  /** A line beside one that was chosen: pieces of code tell more than scattered lines. */
  besideLine: 0.05,
  /** How much less a line is worth the more lines were shown with it: power of their number beyond a screenful. */
  crowding: 0.4,
  /** Lines near the end of the span that report an error. */
  errorLine: 24,
  /** Lines that another agent reported. */
  reportLine: 0.6,
  /** Commands, searches, and each doubling of their repetitions. */
  command: 11,
  search: 2.2,
  repetition: 3,
  /** Largest parts of the budget for words that are no answer, lines of changed files, lines of read files, commands, and any one file. */
  wordsShare: 0.35,
  changedShare: 0.8,
  readShare: 0.2,
  commandShare: 0.28,
  fileShare: 0.32,
}

export type Weights = { readonly [Name in keyof typeof weights]: number }
