import { createPhraseMatcher } from './sentences.ts'

// The same languages as of words that bind.
const DECIDING = [
  'because|root cause|decided|decision|instead of|turns out|the problem|the issue|the bug|the cause|the fix|the reason|the key|found|confirmed|conclusion|so that|means that|caused by|due to|therefore|verified|passes|fixed|work|works|fail|fails|need to|needs to|needed to|important|note that|actually|however|but',
  'weil|ursache|entschieden|deshalb|grund|gefunden|behoben|daher',
  'parce que|cause|décidé|donc|raison|corrigé',
  'porque|causa|decidido|decidí|por eso|razón|corregido',
  'porque|causa|decidi|decidido|portanto|razão|corrigido',
  'perché|causa|deciso|quindi|motivo|corretto',
  'потому что|причина|решил|решено|поэтому|исправлено',
  '因为|原因|决定|所以|发现',
  'なぜなら|原因|決定|理由|ため',
  '때문|원인|이유|결정|그래서',
]

/** Whether a sentence has a word of a conclusion, or of how something came out. */
export const isConclusion = createPhraseMatcher(DECIDING)
