// Words of other scripts are not separated by spaces; a run without any is cut to pieces.
const WORDS = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,40}/g
const WORDS_IN_PHRASE = 6
const FEWEST_WORDS = 60
// Lists repeat their form, not six words of it over and over.
const OFTEN = 4
const LARGEST_SHARE = 0.35

/** Whether a text has run away into saying the same again and again. Linear in its length. */
export function isRepetitive(text: string): boolean {
  const words = text.match(WORDS) ?? []
  if (words.length < FEWEST_WORDS) return false
  const counts = new Map<string, number>()
  let phrases = 0
  for (let at = 0; at + WORDS_IN_PHRASE <= words.length; at++) {
    const phrase = words.slice(at, at + WORDS_IN_PHRASE).join(' ')
    counts.set(phrase, (counts.get(phrase) ?? 0) + 1)
    phrases++
  }
  let repeated = 0
  for (const count of counts.values()) if (count >= OFTEN) repeated += count
  return repeated > phrases * LARGEST_SHARE
}
