/** How much each piece of a message is needed by whoever goes on from it. The numbers are set by hand. */
import { isDecision, isDemand, isQuestion } from '../../facts/demands.ts'
import { scanEntities } from '../../facts/entities.ts'
import { mentionsError } from '../../facts/errors.ts'
import type { Unit } from './rewrite-units.ts'

export interface Reading {
  /** Whether the person wrote the message: then what they demand matters most. */
  readonly isPerson: boolean
  readonly instructions: string
}

const FIRST = 4
const LAST = 2.5
const FINDING = 2.5
const QUESTION = 3
const DEMAND = 4
const ERROR = 1.5
const NAME = 0.8
const MOST_NAMES = 5
const NUMBER = 0.4
const FOCUS = 6
const PLAIN = 1
const OPENING = 1.5
const ANNOUNCEMENT = 0.2
const CODE = 0.5

/** By position; 0 for what says nothing on its own. */
export function measureWorths(units: readonly Unit[], { isPerson, instructions }: Reading): number[] {
  const focus = readWords(instructions)
  const seen = new Set<string>()
  const said = new Set<string>()
  const saysSomething = ({ fence, text }: Unit) => fence === undefined && !isEmpty(text) && !isHeading(text)
  const first = units.findIndex(saysSomething)
  const last = units.findLastIndex(saysSomething)
  return units.map((unit, index) => {
    const { text } = unit
    if (isEmpty(text) || isHeading(text) || said.has(text.trim())) return 0
    said.add(text.trim())
    const names = countNewNames(text, seen) * NAME
    const wanted = focus.filter((word) => text.toLowerCase().includes(word)).length * FOCUS
    if (unit.fence !== undefined) return (isFragment(text) ? 0 : CODE + names) + wanted
    let worth = names + wanted
    if (isAnnouncement(text)) worth += ANNOUNCEMENT
    else worth += (unit.opens ? OPENING : PLAIN) + (index === first ? FIRST : 0)
    if (index === last) worth += LAST
    if (isDecision(text)) worth += FINDING
    if (isQuestion(text)) worth += QUESTION
    if (isPerson && isDemand(text)) worth += DEMAND
    if (mentionsError(text)) worth += ERROR
    if (/\d/.test(text)) worth += NUMBER
    return worth
  })
}

function countNewNames(text: string, seen: Set<string>): number {
  let count = 0
  scanEntities(text, (_, name) => {
    if (seen.has(name)) return
    seen.add(name)
    count++
  })
  return Math.min(count, MOST_NAMES)
}

function readWords(instructions: string): string[] {
  return instructions
    .toLowerCase()
    .split(/[^\p{L}\p{N}_./-]+/u)
    .filter((word) => word.length > 3)
}

/** Rules, the lines of a table's frame, a lone bracket. */
function isEmpty(line: string): boolean {
  return !/[\p{L}\p{N}]/u.test(line)
}

/** A line of code that is an option or a bracket of the line above it. */
function isFragment(line: string): boolean {
  return /^\s*(?:--|[)\]}])|\\$/.test(line) || line.trim().length < 12
}

/** Says only what comes next; without it the line is nothing. */
function isHeading(line: string): boolean {
  if (/^\s*#{1,6}\s/.test(line) || /^\s*\*\*[^*]*\*\*$/.test(line)) return true
  return line.length < SHORTEST_STATEMENT && /[:：][*_`\s]*$/.test(line)
}

// "The attribution works now, with accurate numbers:" says something before its colon.
const SHORTEST_STATEMENT = 50

/** "Let me look at …" tells what was about to be done; that it was done stands in the calls. */
function isAnnouncement(line: string): boolean {
  return /^(?:(?:now|ok(?:ay)?|good|great|first|next|perfect),? )?(?:let me|let[’']s|i[’']ll|i will|i[’']m going to|i need to|now i|lass mich|ich werde)\b/i.test(
    line.trim(),
  )
}
