/** Sentences that say nothing: praise, that all went well, that an answer follows. */
import { splitSentences } from '../facts/sentences.ts'

const PRAISE = 'perfect|great|good|excellent|awesome|wonderful|nice|fair|interesting'

const CHATTER = new Set([
  ...PRAISE.split('|'),
  ...`a absolutely ah all alright also am and are be can correct course day done exactly fine for get given go going got happy
  have hm i im idea indeed is it its ive just let like me my no now of oh ok okay one point points question really right see
  so sorry sure thank thanks that thats the there think this to true understand understood very want wait well were will with
  works yeah yep yes you your youre`.split(/\s+/),
])
const LONGEST_CHATTER = 80

/** "Great question!", "You're absolutely right." */
export const isChatter = (sentence: string): boolean =>
  sentence.length <= LONGEST_CHATTER &&
  /^[\x20-\x7e\u2019\u2026]*$/.test(sentence) &&
  (
    sentence
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[a-z\d]+/g) ?? []
  ).every((word) => CHATTER.has(word))

/** "Great question!", "Perfect!" and the like, which is no answer to anything. */
export const isPraise = (sentence: string): boolean => POLITE.test(sentence) && isChatter(sentence)

// How praise, an excuse or thanks begin.
const POLITE = new RegExp(
  `^[*_\\s]{0,4}(?:${PRAISE}|sorry|thanks?|you(?:['’]re| are| were)? (?:absolutely |completely |totally )?right)\\b`,
  'i',
)

const STATUS = new RegExp(
  `^(?:(?:and|now|ok(?:ay)?|${PRAISE})[,!. ]{1,2}){0,2}(?:(?:all|the|my|unit|integration|new|existing|\\d{1,5}|of|them) ){0,4}(?:tests?|lint(?:ing|er)?|build|checks?|types|it|everything|compilation)(?: (?:now|still|all|also)){0,2} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)|compiles?|builds?|works?|(?:is|are) (?:green|clean|fine|ok|passing))(?: (?:now|cleanly|successfully|too|again))?[.!:]*$`,
  'i',
)

/** "All tests pass.": what the commands show anyway. */
export const isStatus = (sentence: string): boolean => STATUS.test(sentence)

const LONGEST_WAITING = 160
const GOING_ON =
  'active|building|committing|compiling|in (?:progress|review)|installing|merging|pending|queued|running|waiting|working'
const RUNS =
  'agents?|builds?|checks?|commands?|jobs?|pipelines?|runs?|suites?|tests?|workers?|workflows?'
const OF_THE_WORK =
  'all|another|background|both|build|ci|final|full|its|last|long|main|my|new|next|other|remaining|that|the|this|test|verify'
const FOR_RUNS = `waiting (?:for|on) (?:(?:${OF_THE_WORK}) ){0,3}?(?:${RUNS}|ci|completion|it|output|reports?|results?|signal|them|verif(?:y|ication))(?: to (?:complete|end|finish))?`
// How long, where and on what, if that says nothing: "at 10 minutes", "through the packages"
const ROUGHLY = `(?:at|after|for) (?:\\w{1,10} ){0,3}?(?:\\d{1,4}(?:s|m|h)|(?:sec(?:ond)?|min(?:ute)?|hour)s?(?: and a half)?)|for (?:now|a while)|in the background|through [\\w ]{1,60}|on (?:it|them|this|that)`
// "The build is still running through the packages.", "Final verify still running"
const GOES_ON = new RegExp(
  `^(?:(?:it|they|all|both|(?:the|all|my|two|three|remaining|other|main|first|last|full|final) (?:[\\w-]{1,20} ){0,3}?(?:${RUNS})|build|ci|installation|lint|packaging|tests?|verify) (?:is|are) |(?:the )?(?:final|full|last) (?:${RUNS}|lint|review|verify|verification) |)still (?:(?:\\w{1,12} )?(?:${GOING_ON})(?:\\/\\w{1,20})?(?: (?:${ROUGHLY})| the (?:full |final |last )?(?:build|checks?|tests?|(?:test )?suite|verify))?|${FOR_RUNS})$`,
  'i',
)
// That something should have ended is a finding, and so is that the work waits for a person.
const IS_FINDING =
  /\b(?:old|stale|previous|orphan\w{0,3}|killed|stopped|deleted|zombie)\b|\bfor .{0,40}\breview\b/i
const NOTHING_ELSE = new RegExp(`^(?:not (?:blocked|stuck|waiting)|${FOR_RUNS})$`, 'i')
const NONE =
  'no (?:(?:completion|final|finish|new) ){0,2}(?:completion|finish|output|report|signal)'
// "No completion signal yet", "Still no finish signal", but not "No output changed"
const NONE_YET = new RegExp(
  `^(?:still ${NONE}(?: \\w{1,12})?(?: yet)?|${NONE}(?:(?: \\w{1,12})? yet)?)$`,
  'i',
)
const LOOK = 'check|look|monitor|poll|wait|watch'
// "continuing to wait", "checking the latest output from the worker", "I'll capture again shortly"
const LOOKS_ON = new RegExp(
  `^(?:(?:i['’]?(?:m| am|ll| will) |just |now )(?:captur(?:e|ing)|(?:${LOOK})(?:ing)?)|capturing|continuing$|wait|(?:${LOOK})ing|(?:(?:i['’]?(?:m| am|ll| will) |just |now )?(?:continu(?:e|ing)|keep(?:ing)?))(?: to (?:${LOOK})| (?:${LOOK})ing))(?: (?:a|active|after|again|another|briefly|bit|build|check|checks|current|currently|final|finish|for|from|full|if|in|interval|it|its|latest|least|left|longer|minute|minutes|monitor|monitoring|needed|of|on|output|pane|progress|review|run|running|shortly|state|status|test|tests|the|them|this|to|until|verify|wait|waiting|watching|worker|workers?['’]s|agents?['’]s|workers)){0,12}$`,
  'i',
)

/** "The build is still running; continuing to wait.": soon it was over. */
export function isWaiting(sentence: string): boolean {
  if (sentence.length >= LONGEST_WAITING || IS_FINDING.test(sentence)) return false
  const [first = '', ...others] = sentence.replace(/[.!…]+$/, '').split(/[;,] (?:and |so )?/)
  const isGoingOn = (clause: string) =>
    GOES_ON.test(clause) || NONE_YET.test(clause) || LOOKS_ON.test(clause)
  return isGoingOn(first) && others.every((one) => isGoingOn(one) || NOTHING_ELSE.test(one))
}

const MAY_BE_EMPTY = /nothing|unchanged|\bno (?:files?|code)\b|[:：]\s*$|^here\b/i

// "**Two causes.** Nothing is fixed."
const BOLD_END = /(?<=[.!?]\*\*) /

/** Without sentences that say nothing, alone on a line or before others. */
export const withoutEmptySentences = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const mayBeEmpty = MAY_BE_EMPTY.test(line) || POLITE.test(line)
      if (!mayBeEmpty || line.startsWith('\t')) return line
      const sentences = line.split(BOLD_END).flatMap(splitSentences)
      const saying = sentences.filter(
        (one) => !UNCHANGED.test(one) && !introduces(one) && !isPraise(one),
      )
      return saying.length === sentences.length ? line : saying.join(' ')
    })
    .join('\n')

// "Nothing in the repository changed.", "I have changed nothing so far.", "Script: `/tmp/a.mjs`."
const UNCHANGED_CLAUSE =
  '(?:nothing (?:else |in \\S{1,40} \\S{1,40} )?(?:is |was |has |has been )?(?:changed|written|fixed|implemented|committed)|no (?:files?|code) (?:were |was |have been )?(?:changed|touched|written)|the repository (?:is |was )?(?:still |otherwise )?unchanged|i (?:have )?changed nothing)[^.;:,]{0,50}'
const UNCHANGED = new RegExp(
  `^[*_]{0,2}${UNCHANGED_CLAUSE}(?:[;,] (?:and )?${UNCHANGED_CLAUSE})?[.!]?[*_]{0,2}$`,
  'i',
)
// "Here's what I found:", "Let me create a summary of the changes:"
const INTRODUCTION =
  /^(?:now )?(?:here(?:['’]s| is| are)|this is|below (?:is|are)) ([^.:]{1,80}):$/i
const OF_ANY_ANSWER = new Set(
  `a added all an analysis and answer are been changed changes complete concrete critical detailed did done exact final
  findings found full have i i've implemented in is made major my of our overall overview plan proposal report results
  review scenario see short summary the think this to updated was we we've were what`.split(/\s+/),
)

// "Here's my analysis of the cache based on its tests."
const PRESENTATION =
  /^here(?:['’]s| is| are) (?:my|the|an?|your) (?:[\w-]{1,20} ){0,2}(?:analysis|answer|assessment|breakdown|comparison|evaluation|explanation|findings|overview|report|review|summary)(?:,? (?:about|based|for|from|of|on)\b[^`\d]{0,120})?[.:]$/i

/** Whether it only says that the answer follows. */
function introduces(sentence: string): boolean {
  if (PRESENTATION.test(sentence)) return true
  if (!/[:：]$/.test(sentence)) return false
  if (/^(?:now,? |next,? )?let(?:['’]s| me| us)\b/i.test(sentence)) return true
  const words = INTRODUCTION.exec(sentence)?.[1]?.toLowerCase().replaceAll('’', "'").split(/\s+/)
  return words?.every((word) => OF_ANY_ANSWER.has(word)) === true
}
const NAMED_SCRIPTS =
  /^[*_]{0,2}(?:the )?(?:scripts?|reproductions?|prototypes?)[*_]{0,2}:[*_]{0,2}(?:\s|[,.()]|`[^`]{1,160}`|and\b|in\b)*$/i
const SCRIPT =
  /^[*_]{0,2}(?:the )?(?:scripts?|reproductions?|prototypes?|everything|all files?)\b[^.:]{0,40}(?::| is in| are in)\s[^.]{0,80}\/[^\s]{1,120}$/i

/** Whether a line of an answer says nothing. */
export const isEmptyLine = (line: string): boolean =>
  isChatter(line) || [UNCHANGED, SCRIPT, NAMED_SCRIPTS].some((one) => one.test(line))
