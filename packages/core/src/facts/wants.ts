/** What a message of the user asks for, and which parts of earlier answers it refers to. */
import { createPhraseMatcher } from './sentences.ts'

/** What an answer may have to hold. */
export type Want =
  | 'table'
  | 'number'
  | 'proposal'
  | 'advice'
  | 'list'
  | 'name'
  | 'place'
  | 'reason'
  | 'quote'
  | 'answer'

// English, German, French, Spanish, Portuguese, Italian, Russian, Chinese, Japanese, Korean.
const WANTS: Readonly<Record<Want, readonly string[]>> = {
  table: [
    'table|tables|matrix',
    'tabelle|tableau|tabla|tabela|tabella|таблица|таблицу|таблице|表|표',
  ],
  number: [
    'how many|how much|how long|how often|how big|how large|how fast|how slow|how far|number of|the numbers|count|median|medians|average|percentage|percent|size|sizes|bytes|ms|milliseconds|timing|timings|benchmark|measure|measured|measuring|figures|coverage|cost|costs',
    'wie viele|wie viel|wie lange|wie oft|wie groß|wie schnell|anzahl|größe|prozent|miss|gemessen|combien|taille|nombre de|mesure|cuántos|cuántas|cuánto|cuánta|tamaño|quantos|quantas|quanto|tamanho|quanti|quante|quanta|dimensione',
    'сколько|размер|число|多少|几个|大小|いくつ|どのくらい|何個|몇|얼마|크기',
  ],
  // A program has options, variants and designs, too: see `CHOICE`.
  proposal: [
    'alternatives|proposals|ideas|pros|cons|trade-offs',
    'vorschläge|möglichkeiten|propositions|solutions|qué opciones|dame opciones|propuestas|quais opções|propostas|quali opzioni|dammi opzioni|proposte',
    'варианты|方案|提案|방안',
  ],
  advice: [
    "suggest|propose|recommend|what would you|which would you|how would you|you would do|you would take|you would pick|you would choose|you'd do|you'd take|you'd pick|you'd choose",
    'schlag|empfiehlst|würdest du|propose|proposez|ferais-tu|propón|harías|proponha|faria|proponi|faresti|предложи|建议|推荐|おすすめ|제안|추천',
  ],
  list: [
    'list|which|compare|comparison|plan|steps|what are|name the|summary|summarize|overview|differences',
    'liste|welche|welcher|welches|vergleiche|überblick|quels|quelles|lesquels|lista|cuáles|quais|quali|список|какие|сравни|列出|哪些|比较|一覧|どれ|比較|목록|비교',
  ],
  name: [
    'name|names|named|called|heading|headings|api',
    'namen|heißt|nenne|nom|noms|nombre|nombres|nome|nomes|nomi|назван|имя|имена|название|名字|名称|名前|이름',
  ],
  place: [
    'where|line|lines|file|files|in which place',
    'wo|zeile|zeilen|datei|dateien|où|ligne|lignes|fichier|fichiers|dónde|línea|líneas|archivo|archivos|onde|linha|linhas|arquivo|dove|riga|righe|где|строка|файл|哪里|哪个文件|行|どこ|何行|어디|파일',
  ],
  reason: [
    'why|reason|reasons|explain|how does|how do|how is|how are|how would|what happens|what would|what causes|cause|difference',
    'warum|wieso|weshalb|grund|erkläre|erklär|wie funktioniert|pourquoi|raison|explique|expliquez|comment|por qué|porqué|razón|explica|cómo|por que|razão|explique|como|perché|motivo|spiega|come',
    'почему|причина|объясни|как|为什么|原因|解释|怎么|なぜ|理由|説明|왜|이유|설명',
  ],
  quote: [
    'quote|exact|exactly|verbatim|word for word|example|json|snippet|schema|signature|signatures|output|show me|what does it print',
    'zitiere|genau|wörtlich|beispiel|signatur|citez|cite|exactement|exemple|cita|exactamente|ejemplo|exatamente|exemplo|esattamente|esempio|firma|assinatura|точно|пример|сигнатура|сигнатуру|引用|例子|示例|签名|例|シグネチャ|예시|시그니처',
  ],
  answer: [
    'tell me|suggest|propose|recommend|compare|name|quote|measure|count|check|look at|show|explain|describe|summarize|summarise|give me|let me know|list|write down|report|answer|find out|what do you think',
    'sag mir|gib mir|liste|zähle|finde heraus|schau|schlage|miss|prüfe|vergleiche|nenne|sag|zeig|zeige|erkläre|beschreibe|berichte|fasse|dis-moi|donne-moi|nomme|liste|compare|propose|mesure|vérifie|montre|explique|décris|résume|dime|dame|nombra|enumera|compara|propón|mide|comprueba|muestra|explica|describe|resume|diga|me dê|liste|meça|mostre|explique|descreva|dimmi|dammi|elenca|confronta|misura|mostra|spiega|descrivi|riassumi',
    'скажи|назови|перечисли|сравни|измерь|предложи|проверь|дай|покажи|объясни|опиши|расскажи|告诉我|给我|列出|比较|测量|建议|检查|看看|说明|解释|描述|教えて|挙げて|比較して|測って|測定して|提案して|調べて|確認して|見せて|説明|示して|알려|비교해|측정해|제안해|확인해|설명|보여',
  ],
}

const wants = (Object.keys(WANTS) as Want[]).map(
  (want) => [want, createPhraseMatcher(WANTS[want])] as const,
)

// "Give me options", "options A and B", "which option", "two different designs". A count of options
// may be one of a program.
const CHOICE =
  /(?<![\p{L}\p{N}])(?:(?:give|offer|suggest|propose|present|sketch|outline|weigh|need|want|prefer)(?: [\p{L}\p{N}-]{1,16}){0,3} (?:options|designs|variants|approaches|plans)|(?:which|what other|which other) (?:option|design|variant|approach|plan)|what (?:options|designs|approaches) (?:do|are|would|could|have)|(?:options|designs|variants|approaches|plans) [A-D](?![\p{L}\p{N}])|(?:two|three|four|five|[2-5])(?: (?:different|possible|other|alternative))? (?:designs|approaches|plans))(?![\p{L}\p{N}])/iu

// "how do we detect others", "also, is there a limit": not everyone ends a question with its mark.
const QUESTION_OPENING =
  /(?:^|[.!?:]\s|\n)\s{0,4}(?:(?:and|so|but|also|ok|okay|hm+|wait|then|und|aber|et|mais|y|pero|e|ma|а|но|и)[, ]{1,2}){0,2}(?:(?:how|why|where|which|who|whose)(?!ever)|what(?! (?:a|an)\b)|(?:is|are|was|were) (?:it|this|that|there|these|those|we|you)|(?:does|did|would|should|could) (?:i|we|it|this|that|they)|(?:do|can) (?:i|we|they)|wie|warum|wieso|weshalb|wo|wer|welche[rs]?|comment|pourquoi|où|quels?|quelles?|cómo|por qué|dónde|cuál|como|por que|onde|qual|perché|dove|quale|как|почему|зачем|где|какой)(?![\p{L}\p{N}'’])/iu

// A request is short. In a pasted document, the beginning and the end are the user's.
const HEAD = 2_000
const TAIL = 600

const readEnds = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`

/** What a request asks for. Nothing if it only says what to do. */
export function readWants(request: string): ReadonlySet<Want> {
  const text = readEnds(request)
  const found = new Set(wants.filter(([, matches]) => matches(text)).map(([want]) => want))
  if (CHOICE.test(text)) found.add('proposal')
  if (/[?？]/.test(text) || QUESTION_OPENING.test(text)) found.add('answer')
  return found.has('answer') || found.has('table') ? found.add('answer') : new Set()
}

// "Name the three worst", "dos alternativas", "三个".
const COUNTS = [
  'two|zwei|deux|dos|dois|duas|due|два|две|两|二|두',
  'three|drei|trois|tres|três|tre|три|三|세',
  'four|vier|quatre|cuatro|quatro|quattro|четыре|四|네',
  'five|fünf|cinq|cinco|cinque|пять|五|다섯',
  'six|sechs|seis|sei|шесть|六|여섯',
].map((words, index) => [index + 2, createPhraseMatcher([`${words}|${index + 2}`])] as const)

/** How many a request asks for. It may have several such numbers. */
export function readCounts(request: string): ReadonlySet<number> {
  const text = readEnds(request)
  return new Set(COUNTS.filter(([, matches]) => matches(text)).map(([count]) => count))
}

/** What a message of the user says of an answer before it. */
export interface Reference {
  /** Labels of what was proposed: `B`, `2`. */
  readonly labels: ReadonlySet<string>
  /** Those of them that count: `2` for "the second one". */
  readonly ordinals: readonly number[]
  /** Whether it speaks of what was said before at all: "as you suggested", "the other one". */
  readonly isGeneral: boolean
}

const NOUN =
  '(?:option|options|variant|design|plan|approach|version|proposal|alternative|choice|idea|solution|number|no\\.|point|item|question|step|bug|finding|variante|vorschlag|punkt|frage|opción|opção|opzione|punto|ponto|вариант|пункт|方案|选项|案)'
const LABELLED = new RegExp(
  `(?<![\\p{L}\\p{N}])${NOUN} {0,2}#?([A-Ha-h]|\\d{1,2})(?![\\p{L}\\p{N}])`,
  'giu',
)
// "B, but …", "take B", "B and C". A single "A" may be an article.
const LETTER =
  /(?<![\p{L}\p{N}.'’/-])([B-H])(?=[\s,.:;!?)]|$)(?!\.\p{L})|(?<![\p{L}\p{N}])(A)(?=[,.:;!?)]|$| (?:and|or|und|oder|et|ou|y|o|e|и) [B-H](?![\p{L}\p{N}]))|\b(?:take|pick|choose|prefer|go with|do|nimm|prends|toma|escolhe|prendi) (A)(?=[\s,.:;!?)]|$)(?! \p{Ll})/gu
const LEADING_NUMBER = /^\s{0,4}#?(\d{1,2})(?:[.):,]|\s|$)/gm
const ORDINALS = [
  [
    '1',
    'the first|der erste|die erste|das erste|den ersten|la première|le premier|la primera|el primero|a primeira|o primeiro|la prima|il primo|the former|первый|первое|第一|1つ目|첫 번째|첫번째',
  ],
  [
    '2',
    'the second|der zweite|die zweite|das zweite|den zweiten|la deuxième|le deuxième|la seconde|le second|la segunda|el segundo|a segunda|o segundo|la seconda|il secondo|второй|второе|第二|2つ目|두 번째|두번째',
  ],
  [
    '3',
    'the third|der dritte|die dritte|das dritte|den dritten|la troisième|le troisième|la tercera|el tercero|a terceira|o terceiro|la terza|il terzo|третий|третье|第三|3つ目|세 번째|세번째',
  ],
  [
    '4',
    'the fourth|der vierte|die vierte|la quatrième|le quatrième|la cuarta|a quarta|la quarta|четвертый|第四|네 번째',
  ],
] as const
const ordinals = ORDINALS.map(
  ([label, phrases]) => [label, createPhraseMatcher([phrases])] as const,
)
const GENERAL = createPhraseMatcher([
  "the way you|you suggested|you proposed|you described|you said|you recommended|you mentioned|you measured|you found|you listed|you planned|you explained|you named|you announced|your suggestion|your suggestions|your proposal|your recommendation|your idea|your plan|your findings|your list|your table|your numbers|your design|your question|your questions|as before|like before|as discussed|as decided|as agreed|the last one|the latter|the other one|that one|these options|go with|i like|i prefer|i would rather|i'd rather|let's do|let's take|let's go|sounds good|makes sense|do that|agreed|instead of that",
  'wie du|wie vorgeschlagen|wie besprochen|dein vorschlag|deinen vorschlag|deine idee|die andere|das andere|mach das|einverstanden|klingt gut|wie vorher|ich nehme|lieber',
  "comme tu|comme vous|ta proposition|votre proposition|l'autre|d'accord|faisons|como dijiste|como propusiste|tu propuesta|de acuerdo|la otra|como você|sua proposta|a outra|concordo|come hai|la tua proposta|d'accordo|l'altra",
  'как ты|как вы|твой вариант|согласен|другой вариант|давай|你说的|你建议|按你|就这样|同意|言った通り|あなたの提案|それで|말한 대로|제안대로|그렇게',
])
// A short message that only agrees or declines.
const NOD =
  /^\s{0,4}(?:yes|yep|yeah|no|nope|ok|okay|right|correct|exactly|perfect|good|great|sure|fine|please do|ja|nein|genau|passt|oui|non|sí|si|sim|não|да|нет|好|对|可以|はい|いいえ|네|아니)(?![\p{L}\p{N}])/iu
const LONGEST_NOD = 300
// "Do it.", "Now please fix it, and then …"
const ACCEPTS =
  /^\s{0,4}(?:(?:now|then|please|just|and|go ahead and)[, ]{1,2}){0,4}(?:do|fix|build|implement|apply) (?:it|this|that)(?! (?:yet|later))(?![\p{L}\p{N}])/iu

export function readReference(request: string): Reference {
  const text = readEnds(request)
  const labels = new Set<string>()
  for (const pattern of [LABELLED, LETTER, LEADING_NUMBER])
    for (const [, ...found] of text.matchAll(pattern))
      for (const label of found) if (label !== undefined) labels.add(label.toUpperCase())
  const counted = ordinals.filter(([, matches]) => matches(text)).map(([label]) => label)
  for (const label of counted) labels.add(label)
  const isNod = text.length <= LONGEST_NOD && NOD.test(text)
  return {
    labels,
    ordinals: counted.map(Number),
    isGeneral: isNod || ACCEPTS.test(text) || GENERAL(text),
  }
}
