const LONGEST_STORY_WORDS = 3000
const DEFAULT_STORY_WORDS = 600

/** Of the sentences of a story that was told; 0 when there are none. */
export function findLastNumber(text: string): number {
  const numbers = text.match(/\(\d{1,5}\)/g) ?? []
  return Number(numbers.at(-1)?.slice(1, -1) ?? 0)
}

/** As many words as the request says, in numbered sentences, so that one can see which of them survived. */
export function tellStory(request: string, told = 0): string {
  const asked = Number(/\b(\d{2,5})\b/.exec(request)?.[1] ?? DEFAULT_STORY_WORDS)
  const words = Math.min(asked, LONGEST_STORY_WORDS)
  const sentences: string[] = []
  for (let count = 0, number = told + 1; count < words; number++) {
    const sentence = writeSentence(number)
    sentences.push(number % 6 === 0 ? `${sentence}\n\n` : `${sentence} `)
    count += sentence.split(' ').length
  }
  return sentences.join('').trim()
}

const WHO = [
  'The archivist',
  'A young clerk',
  'The night porter',
  'An old cartographer',
  'The printer',
  'Her apprentice',
]
const DID = ['copied', 'weighed', 'numbered', 'bound', 'lost and found', 'read aloud']
const WHAT = [
  'the letters of the harbour',
  'seven maps',
  'the ledger of debts',
  'a drawer of keys',
  'the weather reports',
]
const WHY = [
  'because nobody else would',
  'while the rain went on',
  'and told no one',
  'before the lamps were lit',
  'for the sake of order',
]

function writeSentence(number: number): string {
  const pick = (list: readonly string[], by: number) => list[Math.floor(number * by) % list.length]
  return `(${number}) ${pick(WHO, 1)} ${pick(DID, 0.7)} ${pick(WHAT, 1.3)}, ${pick(WHY, 0.9)}.`
}
