/** Finds the parts of a summary about future work. A name in them need not appear in a source. */

const AHEAD = createWordTest(
  'next|plan(?:s|ned|ning)?|pending|remaining|open|to[- ]?dos?|future|upcoming|proposed|proposals?|suggest(?:ed|ions?)|' +
    'recommend(?:ed|ations?)|ideas?|outstanding|follow[- ]ups?|options?|examples?|' +
    'nächste|geplant|offen|ausstehend|prochaine|prévu|à faire|próximos?|pendientes?|siguientes?',
)

// What will be, could be, or is said not to be there.
const NOT_MADE = createWordTest(
  'will|would|shall|should|could|going to|to be|plan(?:s|ned|ning)?|next|propos(?:e[ds]?|als?|ing)|to[- ]?do|needs? to|' +
    'wants? to|intend(?:s|ed)?|consider(?:s|ed|ing)?|suggest(?:s|ed|ing)?|recommend(?:s|ed|ing)?|e\\.g\\.|' +
    "(?:for|an) example|such as|instead of|future|pending|(?:not|doesn['’]t|didn['’]t|don['’]t) exist|no such|missing|yet|" +
    'wird|werden|soll|sollen|sera|seront|doit|será|serán|debe',
)

/** Any of the words, but not as a piece of a name: `src/plan.ts` is not a plan. */
function createWordTest(words: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d_/.-])(?:${words})(?![\\p{L}\\d_/-]|\\.[\\p{L}\\d_])`, 'iu')
}

// An order at the beginning of a sentence or an item is not carried out yet.
const ORDER =
  /^[\s\-*+•\d.)[\]>_]{0,20}(?:add|build|create|define|extract|generate|implement|introduce|make|move|rename|write)\b/i

const HEADING = /^ {0,3}(?:#{1,6} |\*\*[^*\n]{1,120}\*\*:?\s*$|\d{1,2}\. [^.\n]{1,120}:\s*$)/
const INTRODUCTION = /:\**\s*$/
const ITEM = /^\s{0,20}(?:[-*+•]|\d{1,3}[.)]) |^\s{2,}\S/
// What a line begins with is enough to know what it is.
const LONGEST_BEGINNING = 300

/** Whether a position is in a section, a list or a sentence about future work. */
export function findPlans(text: string): (position: number) => boolean {
  const starts: number[] = []
  const ahead: boolean[] = []
  let isSection = false
  let isList = false
  let start = 0
  for (const line of text.split('\n')) {
    const beginning = line.slice(0, LONGEST_BEGINNING)
    const isHeading = HEADING.test(beginning)
    if (isHeading) isSection = AHEAD.test(beginning)
    if (isHeading || !ITEM.test(beginning)) {
      isList =
        INTRODUCTION.test(line.slice(-LONGEST_BEGINNING)) &&
        (AHEAD.test(beginning) || NOT_MADE.test(beginning))
    }
    starts.push(start)
    ahead.push(isSection || isList)
    start += line.length + 1
  }
  return (position) => {
    if (ahead[findLine(starts, position)]) return true
    const sentence = sentenceAround(text, position)
    return NOT_MADE.test(sentence) || ORDER.test(sentence)
  }
}

function findLine(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (starts[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}

// Characters on each side: a longer sentence is looked at in part.
const LONGEST_SIDE = 300

function sentenceAround(text: string, position: number): string {
  const before = text.slice(Math.max(0, position - LONGEST_SIDE), position)
  const after = text.slice(position, position + LONGEST_SIDE)
  let start = before.length
  while (start > 0 && !isBreak(before, start - 1)) start--
  let end = 0
  while (end < after.length && !isBreak(after, end)) end++
  return before.slice(start) + after.slice(0, end)
}

/** A line end, a semicolon, or a full stop before a space. */
function isBreak(text: string, at: number): boolean {
  const character = text[at]!
  return '\n;'.includes(character) || ('.!?'.includes(character) && text[at + 1] === ' ')
}
