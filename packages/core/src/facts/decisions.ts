/**
 * Sentences of the agent that settle something: a choice with its alternative, or the cause of what
 * was seen.
 */

import { splitSentences } from './sentences.ts'

/** In the order of the text. Code, tables, headings and data settle nothing. */
export function findDecisions(text: string): string[] {
  let isCode = false
  return text.split('\n').flatMap((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    const isData = isFence || isCode || DATA.test(line) || HEADING.test(line)
    return isData ? [] : splitSentences(line).filter(isDecision)
  })
}

const DATA = /^(?: {4}|\t|\s*(?:[|#>{<]|\[[\]{"]))/
// `**What I decided against**`
const HEADING = /^\s*(?:\d{1,2}[.)] ?)?\*\*[^*]{1,200}[^*.!]\*\*:?\s*$/

const OPENING =
  '(?:(?:now|ok(?:ay)?|good|great|perfect|excellent|first|second|next|then|alright|right|so|also|actually|hmm|wait|but|and|yes|sure|done|finally|otherwise|meanwhile)\\b[\\s,.!:—–-]{0,4}){0,4}'
const PLANNED =
  "let me|let's|let us|i'?ll|i will|i(?:'m| am)(?: (?:now|also|just|then|not|still))? (?:going to|about to|[a-z-]{2,20}ing)|(?:i|we)(?: (?:also|now|just|still))? (?:need|want|have|should|must|can|could|would like) |now i\\b|time to|going to|to (?:verify|check|confirm|understand)|" +
  'lass mich|ich (?:werde|muss|prüfe|schaue)|jetzt|je vais|laisse|maintenant|voy a|ahora|vou|agora|ora|adesso|сейчас|теперь|давайте|я (?:буду|проверю)'
const ANNOUNCEMENT = new RegExp(`^${OPENING}(?:${PLANNED})(?!\\p{L})`, 'iu')
const UNSPACED_ANNOUNCEMENT =
  /^(?:好的?[，,。]?)?(?:让我|我来|我将|我会|现在|接下来|次に|では|まず|これから|이제|다음)/u
const REASON = /\b(?:because|since|so that|instead|rather than|weil|damit)\b/i

/**
 * Whether it says what was about to be done, as "Let me look at …": that it was done is shown
 * elsewhere.
 */
export const isAnnouncement = (line: string): boolean => announces(line) && !REASON.test(line)

function announces(line: string): boolean {
  const plain = line.replaceAll('’', "'")
  return ANNOUNCEMENT.test(plain) || UNSPACED_ANNOUNCEMENT.test(plain)
}

// What was announced and is a choice all the same: "I'll keep the old name instead of …"
const CHOOSES =
  /^[^,;:]{0,30}\b(?:keep|keeping|leave|leaving|use|using|go with|going with|stick|choose|prefer|avoid|skip|drop)\b/i
const ALTERNATIVE = /\b(?:instead of|rather than|because|so that)\b/i

const CHOICE =
  /\b(?:decided|decision:|(?:my|our|the|design) decision (?:is|was|to)|chose|(?:is|are|was|were|been|has|have|i|we) chosen|opted|settled on|we agreed|agreed to|in favou?r of|by design|(?<!\b(?:more|to) )(?:intentionally|deliberately)|on purpose|trade-?offs?|recommend(?:ed|ation)?|must (?:not|never)|should (?:not|never)(?! be(?! \w+ed\b))|(?:best|right|safest|simplest|cleanest|better|correct|preferred|minimal|proper) (?:approach|option|way|choice|fix|solution|design|place)|the (?:fix|solution|approach|design|rule) (?:is|was))\b|^chosen\b/i
// "Gets 0 instead of 1000" describes.
const PREFERENCE =
  /(?<!\balready )\b(?:us(?:e|ed|ing)|ke(?:ep|eping|pt)|prefer|should(?! (?:be|have|now)\b)|switch(?:ed|ing)?|replac(?:e|ed|ing)|mov(?:e|ed|ing)|ma(?:ke|de|king)|stor(?:e|ed|ing)|stream)\b[^.;]{0,80}?\b(?:instead of|rather than)\b|^instead of\b/i
// The agent's own reason. A reason why something is as it is only explains.
const GROUND = /\b(?:i|we)\b(?! s(?:ee|aw)\b)[^,;:.]{1,100} because\b(?! of)/i
const CAUSE =
  /\broot cause(?: \w{1,20}){0,4}(?: (?:is|was|as|[—–-])|:)|\b(?:the (?:\w{1,20} )?(?:problem|issue|bug|cause|culprit|reason|catch) (?:is|was|here is)|turns out|caused by|therefore)\b/i
// "The test bug is fixed."
const REPORT =
  /\b(?:problem|issue|bug|fix|solution|approach|design|rule) (?:is|was) (?:(?:also|already|now|still|not|all) )*(?:fixed|resolved|solved|gone|addressed|done|in|working|complete[d]?|committed|verified|ready|correct|valid|pushed|merged|applied|confirmed|clear|real|there|covered|caught)\b/i
const OTHERS =
  /(?<!\p{L})(?:entschieden|entscheidung|ursache|deshalb|daher|stattdessen|anstatt|décidé|décision|au lieu de|plutôt que|cause (?:racine|du)|decidido|decidí|decisión|decisão|en lugar de|em vez de|la causa|a causa|deciso|decisione|invece di|решил|решено|решили|поэтому|вместо|причина)(?!\p{L})|决定|因此|所以|原因|而不是|決定|ため(?:です|だ)|理由は|原因は|결정|때문|원인은|대신/iu
// A guess at a cause, and how a change is expected to work.
const SUPPOSED =
  /\b(?:i(?:'m| am)? (?:think|bet|suspect|guess|believe|assum(?:e|ing))|likely|probably|presumably|perhaps|maybe|might|may|could be|seems?|appears?|somehow|should now|will now|would be)\b/i
// What others said.
const QUOTED = /"[^"]{0,300}"|“[^”]{0,300}”|(?<=\S )\([^()]{0,300}\)/g
// What would be, and what is asked or introduced, is not settled.
const OPEN =
  /\baccording to\b|\b(?:comments?|reviewers?) (?:all )?(?:says?|asks?|wants?|suggests?|flag(?:s|ged)?|recommends?)\b|^(?:(?:but|and|so|or)\b,? )?(?:if|when|once|unless|maybe|perhaps|whether)\b|\b(?:whether|if) the (?:problem|issue|bug|cause)\b|\blet me\b|[,;:—–-] i(?:'ll| will| am going to|'m going to| need to)\b|[?？:：]["'*_`\s]*$/i
// What follows is what the user said.
const AGREEMENT = /^you(?:'re| are)(?: \w{1,20})? right\b/i
const FEWEST_WORDS = 4

/**
 * Whether it has the words of a choice or of a cause. Announcements, questions, reports and guesses
 * do not count.
 */
export function isDecision(sentence: string): boolean {
  const plain = sentence.replaceAll('’', "'").replace(/^(?:\s|[-*•>]|\d{1,2}[.)]|\*\*)+/, '')
  if (OPEN.test(plain)) return false
  if (announces(plain)) return CHOOSES.test(plain) && ALTERNATIVE.test(plain)
  if (OTHERS.test(plain)) return true
  if (plain.split(/\s+/, FEWEST_WORDS).length < FEWEST_WORDS) return false
  const said = plain.replace(QUOTED, '')
  if (REPORT.test(said)) return false
  return (
    (!AGREEMENT.test(said) && CHOICE.test(said)) ||
    (!SUPPOSED.test(said) && [PREFERENCE, GROUND, CAUSE].some((words) => words.test(said)))
  )
}
