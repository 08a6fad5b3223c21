/** Which of the person's sentences ask, forbid or settle something, and which of the agent's decide it. */

const STANDING =
  /\b(?:must|never|always|don'?t|do not|should(?:n'?t)?|make sure|ensure|only|instead|prefer|no need|avoid|remember|from now on|not allowed|forbidden|required?|keep|stop)\b|(?:^|[\s,(])(?:nie(?:mals)?|immer|nicht|kein(?:e|en|er)?|muss|müssen|soll(?:te|ten|en)?|nur|statt(?:dessen)?|bitte|jamais|toujours|ne pas|doit|doivent|évite[rz]?|seulement|plutôt|nunca|siempre|debe[ns]?|evita|solo|sólo|en lugar|sempre|deve|devem|evite|apenas|em vez|mai|devi|devono|solo|invece|никогда|всегда|нельзя|нужно|должн[аоы]?|только|вместо)(?=$|[\s,.;:!?)])|不要|必须|禁止|总是|永远|只能|请|しない|必ず|常に|禁止|ください|마세요|반드시|항상|절대/i
const ASKING =
  /\b(?:please|can you|could you|would you|we need|i need|i want|i'?d like|let'?s|lets)\b|(?:^|\s)(?:kannst du|können sie|ich möchte|wir brauchen|peux-tu|pouvez-vous|je veux|puedes|podrías|quiero|você pode|quero|puoi|vorrei|voglio|можешь|сделай|хочу)(?=$|[\s,.;:!?])|吗|してください|해줘/i
const DECIDING =
  /\b(?:because|root cause|decided|decision|instead of|turns out|the (?:problem|issue|bug|cause|fix|reason|key)|found|confirmed|conclusion|so that|means that|caused by|due to|therefore|verified|passes|fixed|works?|fails?|need(?:s|ed)? to|important|note that|actually|however|but)\b|(?:^|\s)(?:weil|ursache|entschieden|deshalb|porque|parce que|perché|потому|причина)(?=$|[\s,.;:!?])|因为|原因|決定|理由|때문/i

/** A standing instruction: it goes on counting after its turn. */
export function isDirective(sentence: string): boolean {
  return STANDING.test(sentence)
}

/** An instruction or a wish, standing or for now. */
export function isDemand(sentence: string): boolean {
  return STANDING.test(sentence) || ASKING.test(sentence)
}

export function isDecision(sentence: string): boolean {
  return DECIDING.test(sentence)
}

export function isQuestion(sentence: string): boolean {
  return sentence.endsWith('?') || sentence.endsWith('？')
}
