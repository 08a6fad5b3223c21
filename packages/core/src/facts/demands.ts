/** Which of the person's sentences ask, forbid or settle something, and which of the agent's decide it. */
import { isSettling } from './settling.ts'
import { createWordList, readSentenceWords } from './word-lists.ts'

const DEMANDING = (['strong', 'binding', 'firm', 'orders', 'mild', 'asks'] as const).map(createWordList)
const decides = createWordList('decides')

/** An instruction or a wish, standing or for now, or something set right. */
export function isDemand(sentence: string): boolean {
  const words = readSentenceWords(sentence)
  return DEMANDING.some((list) => list.has(sentence, words)) || isSettling(sentence, words)
}

export function isDecision(sentence: string): boolean {
  return decides.has(sentence, readSentenceWords(sentence))
}

export function isQuestion(sentence: string): boolean {
  return sentence.endsWith('?') || sentence.endsWith('？')
}
