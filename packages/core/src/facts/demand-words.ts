/**
 * What standing instructions, wishes and decisions are made of, in the ten languages of the digest. Plain data: phrases
 * of words in lower case, parted by `|`. Chinese, Japanese and Korean phrases are found anywhere, others as whole words.
 */
export interface DemandWords {
  /** Forbid or bind for good when a clause opens with them, or when they follow "you", "we" and the like. */
  readonly strong: string
  /** The same wherever they stand. */
  readonly binding: string
  /** Bind, less strongly, wherever they stand. */
  readonly firm: string
  /** Imperatives that set a choice when a clause opens with them. */
  readonly orders: string
  /** Imperatives that count only beside a word of `general`: alone they ask for one thing. */
  readonly mild: string
  /** Whatever is meant for more than once. */
  readonly general: string
  /** Polite or joining words in front of an imperative. */
  readonly leads: string
  /** Words after which `strong` describes what is ("it never works") instead of asking for it. */
  readonly states: string
  /** Openings of a request for now. */
  readonly asks: string
  /** Limits an instruction to the moment. */
  readonly momentary: string
  /** Words of a conclusion. */
  readonly decides: string
  /** Ends what was said; the subject, if any, follows. */
  readonly ends: string
  /** The same, with the subject in front. */
  readonly lapses: string
  /** Allows what was forbidden. */
  readonly allows: string
  /** Makes a permission one that is new. */
  readonly now: string
  /** Stands between the new choice and the old one. */
  readonly replaces: string
  /** Opens a correction that names no old choice. */
  readonly corrects: string
  /** Words of a prohibition. */
  readonly denies: string
  /** Words without a subject of their own. */
  readonly empty: string
}

export type DemandLanguage = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'ru' | 'zh' | 'ja' | 'ko'

export const demandWords: Readonly<Record<DemandLanguage, DemandWords>> = {
  en: {
    strong: "never|always|do not|don't|dont|don’t|not ever",
    binding:
      "must not|mustn't|must never|must always|from now on|from here on|from this point on|going forward|under no circumstances|in no case|at all times|off limits|off-limits|hands off|stay away from|keep away from|without exception|ever again|not to be touched|whatever you do|you are not allowed|you're not allowed|is forbidden|are forbidden|is not allowed|are not allowed",
    firm: "must|shall not|should not|shouldn't|should never|should always|should only|should stick to|after each|after every|before each|before every|before committing|before pushing|before you commit|before you push|on purpose|i said|i told you|i already said|as i said|i prefer|we prefer|i'd prefer|i would prefer|i'd rather|we always use|we only use|we don't use|house rule|our convention|the convention is|the rule is|our policy|use only|only ever|only use|is read-only|are read-only",
    orders:
      "use|prefer|avoid|stick to|stick with|refrain from|no more|let's always|let's never|let's use|let's not|let us not|let's switch to|let's stick to|let's stick with|let's go with|leave alone|switch to",
    mild: 'make sure|ensure|keep|remember|no need to|try to|be sure to|leave|limit|restrict|respect|run|write|add|document|test|commit|format|name|put|follow|ask|check|explain|answer|reply',
    general:
      'never|always|not|every|each|any|before|after|when|whenever|without|only|no|per|in english|in german|in french|in spanish',
    leads:
      'please|also|and|but|or|so|just|then|ok|okay|yes|yeah|yep|no|nope|well|again|btw|note|important|you|we|should|to|dude|hey|oh|omfg|as|usual|one|more|thing|remember|that|sure|make|ensure|kindly|reminder|general|general rule|rule',
    states:
      "i|it|he|she|they|that|this|which|who|has|have|had|was|were|is|are|did|does|i've|it's|that's|they're|would|could|might|why|how|what|if|i'm|still|also",
    asks: "please|can you|could you|would you|will you|can we|could we|we need|i need|i want|i'd like|let's|lets|should|shouldn't|instead|required|require|requires|forbidden|not allowed",
    momentary:
      'this time|this once|just once|for now|right now|at the moment|for the moment|for this one|today|yet|tonight|first',
    decides:
      'because|root cause|decided|decision|instead of|turns out|the problem|the issue|the bug|the cause|the fix|the reason|the key|found|confirmed|conclusion|so that|means that|caused by|due to|therefore|verified|passes|fixed|work|works|fail|fails|need to|needs to|needed to|important|note that|actually|however|but',
    ends: 'forget that|forget this|forget it|forget what i said|forget what i told you|forget what i wrote|forget about that|forget about|forget my|forget the last|forget the previous|forget the rule|forget the instruction|forget the pin|forget all|forget everything|ignore my|ignore what i said|ignore that|ignore the rule|ignore the previous instruction|ignore the earlier instruction|never mind|nevermind|scratch that|strike that|disregard that|disregard my|disregard what i said|drop the rule|drop that rule|drop the pin|remove the pin|unpin|cancel that instruction|cancel the rule|cancel my|i take that back|i take back|you can forget|you can ignore|you may ignore|you may forget',
    lapses:
      "no longer applies|no longer apply|no longer needed|no longer necessary|no longer valid|does not apply anymore|doesn't apply anymore|doesn't apply any more|don't apply anymore|is obsolete|is lifted|is off the table",
    allows:
      "you may|you can|you are allowed|you're allowed|feel free to|ok to|okay to|fine to|is fine|are fine|is ok|is okay|are ok|are okay|is allowed|are allowed",
    now: 'now|again|after all|from now on|anymore|any more|meanwhile',
    replaces: 'instead of|rather than|in place of|no longer|stop using|stop|and not|not',
    corrects: 'actually|instead|no|on second thought|correction|wait|i said|i told you|as i said|sorry',
    denies:
      "never|do not|don't|dont|not|mustn't|shouldn't|avoid|no|stop|off limits|off-limits|read-only|are read-only|is read-only|forbidden|without|refrain from|hands off|stay away from",
    empty:
      'a an the this that these those it its i me my mine you your we us our he she they them is are was were be been do does did done have has had can may will would could should shall must not no never always only please also and or but so then than too very of for to in on at by from with without into onto over under about as if when while what which who whom how why where there here use used using want need now again still just any all every each some more most less other another same such both between anything anymore everything something said told say rule rules instruction instructions earlier previous before last pin pinned prefer avoid keep make sure ensure let ever instead rather longer actually thing things fine ok okay allowed don dont go ahead regarding concerning',
  },
  de: {
    strong: 'nie|niemals|nie wieder|immer|bitte nicht|bitte nie|bitte keine|bitte kein|bitte keinen|bitte immer',
    binding:
      'auf keinen fall|keinesfalls|unter keinen umständen|ab jetzt|ab sofort|von nun an|künftig|in zukunft|zukünftig|darf nicht|darf nie|dürfen nicht|darfst nicht|darfst du nicht|muss immer|müssen immer|musst immer|nicht anfassen|nicht anrühren|nicht ändern|nicht verändern|nicht löschen|nicht committen|nicht pushen|nicht benutzen|nicht verwenden|nicht bearbeiten|finger weg|verboten|keine änderungen an',
    firm: 'muss|müssen|musst|soll nicht|sollen nicht|sollst nicht|sollte nie|ich sagte|ich habe gesagt|wie gesagt|ich bevorzuge|wir bevorzugen|ich hätte lieber|wir benutzen|wir verwenden|wir nutzen|nur noch|ausschließlich|grundsätzlich',
    orders:
      'benutze|benutz|verwende|nutze|nutz|nimm|bevorzuge|vermeide|halte dich|bleib bei|lieber|stattdessen|kein|keine|keinen|nur',
    mild: 'achte|stell sicher|stelle sicher|behalte|denk daran|schreib|schreibe|lass|teste|prüfe|antworte',
    general: 'nie|niemals|immer|jede|jeder|jedes|jeden|jedem|alle|allen|bevor|vor|nach|wenn|ohne|nur|nicht|auf deutsch',
    leads: 'bitte|auch|und|aber|oder|also|dann|ok|okay|ja|nein|doch|du|wir|sollst|sollen|noch|mal|wichtig|hinweis',
    states:
      'hat|ist|war|habe|hatte|haben|sind|waren|wird|wurde|geht|ging|läuft|lief|funktioniert|kommt|noch|es|das|er|sie|ich|fast',
    asks: 'bitte|kannst du|könntest du|können sie|können wir|ich möchte|ich will|wir brauchen|lass uns',
    momentary: 'diesmal|dieses mal|im moment|vorerst|gerade|heute|jetzt gerade|noch',
    decides: 'weil|ursache|entschieden|deshalb|grund|gefunden|behoben|daher',
    ends: 'vergiss das|vergiss es|vergiss dies|vergiss was|vergiss die|vergiss meine|vergiss den|ignoriere meine|ignoriere was|ignoriere die|ignoriere das|streich das|streiche das|nimm das zurück|ich nehme das zurück|egal',
    lapses: 'gilt nicht mehr|gelten nicht mehr|ist hinfällig|ist aufgehoben|nicht mehr nötig',
    allows: 'du darfst|du kannst|darfst du|kannst du|ist erlaubt|ist ok|ist okay|ist in ordnung',
    now: 'jetzt|nun|wieder|doch|inzwischen|ab jetzt|mittlerweile',
    replaces: 'statt|anstatt|anstelle von|anstelle|nicht mehr|und nicht',
    corrects: 'nein|doch|stattdessen|eigentlich|ich sagte|wie gesagt|moment|korrektur',
    denies: 'nie|niemals|nicht|kein|keine|keinen|keinesfalls|vermeide|verboten|finger weg|auf keinen fall',
    empty:
      'der die das den dem des ein eine einen einem einer und oder aber auch ich du er sie es wir ihr mich mir dich dir uns euch ist sind war waren sein hat haben nicht nie niemals immer nur bitte kein keine keinen zu zum zur im in am an auf aus bei mit nach von vor für über unter um als wie wenn was wer wo warum dass dieser diese dieses jetzt noch mehr schon benutze verwende nutze nimm statt anstatt darf darfst kannst muss regel anweisung frühere vorherige gesagt habe mein meine meinen etwas alles',
  },
  fr: {
    strong:
      "jamais|toujours|ne jamais|ne touche pas|ne touchez pas|ne modifie pas|ne modifiez pas|n’utilise pas|n’utilisez pas|ne pas|n'utilise pas|n'utilisez pas|ne change pas|ne supprime pas|ne fais pas|ne commit pas|ne pousse pas",
    binding:
      "à partir de maintenant|dorénavant|désormais|en aucun cas|sous aucun prétexte|ne doit pas|ne doivent pas|ne dois pas|ne doit jamais|ne dois jamais|doit toujours|il est interdit|interdit de|quoi qu'il arrive|il ne faut pas|il ne faut jamais|il faut toujours",
    firm: "doit|doivent|dois|il faut|j'ai dit|je t'ai dit|comme je l'ai dit|je préfère|nous préférons|on utilise|nous utilisons|uniquement|exclusivement",
    orders: 'utilise|utilisez|évite|évitez|préfère|préférez|garde|gardez|pas de|plutôt|reste sur|seulement',
    mild: 'assure-toi|assurez-vous|vérifie|vérifiez|pense à|écris|teste|réponds',
    general: 'jamais|toujours|chaque|tous|toutes|tout|avant|après|quand|sans|pas|en français',
    leads: "s'il te plaît|stp|svp|aussi|et|mais|ou|alors|ok|oui|non|tu|vous|on|veuillez|merci|de|donc",
    states: "est|était|a|ont|avait|il|elle|ça|cela|ce|qui|je|n'a|n'est|presque|ne",
    asks: "peux-tu|pouvez-vous|pourrais-tu|je veux|je voudrais|s'il te plaît|s'il vous plaît",
    momentary: "cette fois|pour l'instant|pour le moment|aujourd'hui",
    decides: 'parce que|cause|décidé|donc|raison|corrigé',
    ends: 'oublie ça|oubliez ça|oublie cela|oubliez cela|oublie ce que|oubliez ce que|oublie la règle|oublie ma|oublie mon|oublie la consigne|ignore ma|ignore mes|ignore ce que|ignorez ce que|laisse tomber|annule cette|annule ma|annule la',
    lapses: "ne s'applique plus|n'est plus valable|n'est plus nécessaire|ne vaut plus",
    allows: 'tu peux|vous pouvez|tu as le droit|est permis|est autorisé|est ok',
    now: 'maintenant|de nouveau|à nouveau|désormais|finalement',
    replaces: 'au lieu de|au lieu du|plutôt que|à la place de|à la place du|et non|et pas',
    corrects: "non|en fait|plutôt|j'ai dit|finalement|pardon",
    denies: 'jamais|ne|pas|évite|évitez|interdit|aucun',
    empty:
      'le la les un une des du de d l et ou mais je tu il elle on nous vous ils elles me te se ce cet cette ces ça cela est sont était être a ont avoir ne pas plus jamais toujours que qui quoi dont où dans sur sous avec sans pour par en au aux à y si utilise utilisez règle consigne instruction dit ai as mon ma mes ton ta tes peux pouvez maintenant tout tous',
  },
  es: {
    strong:
      'nunca|jamás|siempre|no toques|no modifiques|no uses|no cambies|no borres|no hagas|no edites|no utilices|no ejecutes',
    binding:
      'a partir de ahora|de ahora en adelante|en adelante|bajo ninguna circunstancia|en ningún caso|no debe|no deben|no debes|prohibido|no se debe|no puedes tocar',
    firm: 'debe|deben|debes|tiene que|dije|te dije|ya dije|como dije|prefiero|preferimos|usamos|únicamente|exclusivamente',
    orders: 'usa|use|usad|utiliza|utilice|evita|evite|prefiere|mantén|solo usa|sólo usa|nada de|mejor',
    mild: 'asegúrate|recuerda|comprueba|escribe|prueba|responde',
    general: 'nunca|siempre|cada|todos|todas|todo|antes|después|cuando|sin|no|solo|sólo|en español',
    leads: 'por favor|también|y|pero|o|entonces|ok|vale|sí|no|tú|usted|que|importante|nota',
    states: 'es|era|está|estaba|ha|han|había|se|lo|eso|esto|él|ella|yo|casi|que no',
    asks: 'puedes|podrías|puede|quiero|quisiera|por favor|necesito',
    momentary: 'esta vez|por ahora|de momento|hoy|todavía',
    decides: 'porque|causa|decidido|decidí|por eso|razón|corregido',
    ends: 'olvida eso|olvídalo|olvida esto|olvide eso|olvida lo que|olvide lo que|olvida la regla|olvida mi|ignora mi|ignora lo que|ignora la regla|descarta eso',
    lapses: 'ya no aplica|ya no se aplica|ya no vale|ya no es necesario|ya no hace falta',
    allows: 'puedes|ya puedes|está permitido|está bien|se permite',
    now: 'ahora|ya|de nuevo|otra vez|al final',
    replaces: 'en lugar de|en vez de|y no|ya no',
    corrects: 'no|en realidad|mejor|dije|perdón',
    denies: 'nunca|jamás|no|evita|evite|prohibido|nada de|ninguna',
    empty:
      'el la los las lo un una unos unas de del y o pero yo tú él ella nosotros ustedes me te se ese esa eso este esta esto es son era ser ha han no nunca siempre solo sólo que qué quien cuando donde como en con sin para por a al si usa use utiliza regla instrucción dije dicho mi mis tu tus su sus puedes ahora ya todo más',
  },
  pt: {
    strong:
      'nunca|jamais|sempre|não toque|não toques|não modifique|não modifiques|não use|não uses|não altere|não alteres|não apague|não mexa|não mexas|não edite|não faça|não utilize',
    binding:
      'a partir de agora|de agora em diante|daqui em diante|em hipótese alguma|de forma alguma|em nenhum caso|não deve|não devem|não pode mexer|proibido|é proibido',
    firm: 'deve|devem|tem que|eu disse|já disse|como eu disse|prefiro|preferimos|usamos|somente|exclusivamente',
    orders: 'use|usa|utilize|utiliza|evite|evita|prefira|mantenha|mantém|apenas use|só use|nada de',
    mild: 'certifique-se|lembre|lembra-te|garanta|escreva|teste|responda',
    general: 'nunca|sempre|cada|todos|todas|todo|antes|depois|quando|sem|não|só|apenas|em português',
    leads: 'por favor|também|e|mas|ou|então|ok|sim|não|você|tu|importante|nota',
    states: 'é|era|está|estava|foi|tem|tinha|isso|isto|ele|ela|eu|quase|se',
    asks: 'você pode|podes|pode|poderia|quero|queria|por favor|preciso',
    momentary: 'desta vez|dessa vez|por enquanto|por agora|hoje|ainda',
    decides: 'porque|causa|decidi|decidido|portanto|razão|corrigido',
    ends: 'esqueça isso|esquece isso|esqueça|esquece o que|esqueça o que|ignore minha|ignore a minha|ignora a minha|ignore o que|deixa pra lá|deixa para lá',
    lapses: 'não se aplica mais|já não se aplica|não vale mais|já não vale|não é mais necessário',
    allows: 'você pode|podes|pode|é permitido|está permitido|está liberado|tudo bem',
    now: 'agora|já|de novo|novamente|afinal',
    replaces: 'em vez de|em lugar de|ao invés de|no lugar de|e não',
    corrects: 'não|na verdade|aliás|eu disse|desculpa|desculpe',
    denies: 'nunca|jamais|não|evite|evita|proibido|nada de',
    empty:
      'o a os as um uma uns umas de do da dos das e ou mas eu tu você ele ela nós vocês me te se esse essa isso este esta isto é são era ser tem têm não nunca sempre só apenas que quem quando onde como em no na nos nas com sem para por ao à se use usa utilize regra instrução disse meu minha seu sua pode agora já tudo mais sobre',
  },
  it: {
    strong:
      'non toccare|non modificare|non usare|non cambiare|non cancellare|non fare|non eseguire|non mai|mai usare|mai toccare|mai modificare|sempre',
    binding:
      "d'ora in poi|da ora in poi|da adesso in poi|in nessun caso|per nessun motivo|non deve|non devono|non devi|vietato|è vietato|non deve mai|deve sempre|non devi mai",
    firm: 'deve|devono|devi|bisogna|ho detto|ti ho detto|come ho detto|preferisco|preferiamo|usiamo|soltanto|esclusivamente',
    orders: 'usa|usate|utilizza|evita|evitate|preferisci|mantieni|solo usa|niente|piuttosto',
    mild: 'assicurati|ricorda|ricordati|scrivi|controlla|rispondi',
    general: 'mai|sempre|ogni|tutti|tutte|tutto|prima|dopo|quando|senza|non|solo|in italiano',
    leads: 'per favore|anche|e|ma|o|allora|ok|sì|no|tu|importante|nota',
    states: 'è|era|ha|hanno|aveva|si|lo|questo|quello|lui|lei|io|quasi|funziona|fallisce',
    asks: 'puoi|potresti|può|vorrei|voglio|per favore|mi serve',
    momentary: 'questa volta|per ora|per adesso|oggi|ancora',
    decides: 'perché|causa|deciso|quindi|motivo|corretto',
    ends: 'dimentica questo|dimenticalo|dimentica quello|dimentica ciò|dimentica la regola|dimentica la mia|ignora la mia|ignora quello|ignora la regola|lascia perdere|lascia stare',
    lapses: 'non vale più|non si applica più|non è più necessario|non serve più',
    allows: 'puoi|potete|è permesso|è consentito|va bene',
    now: 'ora|adesso|di nuovo|ormai|alla fine',
    replaces: 'invece di|al posto di|anziché|piuttosto che|e non',
    corrects: 'no|in realtà|anzi|ho detto|scusa|piuttosto',
    denies: 'mai|non|evita|evitate|vietato|niente|nessun',
    empty:
      'il lo la i gli le un uno una di del della dei delle e o ma io tu lui lei noi voi mi ti si questo questa quello quella ciò è sono era essere ha hanno non mai sempre solo che chi quando dove come in con senza per da al alla ai su se usa usate regola istruzione detto ho mio mia tuo tua puoi ora adesso tutto più',
  },
  ru: {
    strong:
      'никогда|всегда|не трогай|не трогайте|не меняй|не меняйте|не изменяй|не изменяйте|не используй|не используйте|не удаляй|не удаляйте|не делай|не делайте|не коммить|не пушь|не запускай|не добавляй|не редактируй',
    binding:
      'с этого момента|отныне|впредь|ни в коем случае|ни при каких обстоятельствах|нельзя|запрещено|запрещается|не должен|не должна|не должно|не должны|всегда должен|обязательно',
    firm: 'должен|должна|должно|должны|я сказал|я сказала|я же сказал|как я сказал|предпочитаю|мы используем|исключительно|только не',
    orders: 'используй|используйте|избегай|избегайте|предпочитай|придерживайся|оставь|оставляй|лучше|только|без',
    mild: 'убедись|убедитесь|помни|помните|пиши|проверяй|отвечай|следи',
    general: 'никогда|всегда|каждый|каждую|каждого|все|всех|перед|после|когда|без|не|только|по-русски|на русском',
    leads: 'пожалуйста|также|и|но|или|тогда|ок|да|нет|ты|вы|мы|а|ещё|важно',
    states: 'он|она|оно|они|это|я|был|была|было|почти|так|ещё',
    asks: 'можешь|можете|сделай|сделайте|хочу|нужно|пожалуйста|давай',
    momentary: 'в этот раз|пока|сейчас|сегодня|на этот раз',
    decides: 'потому что|причина|решил|решено|поэтому|исправлено',
    ends: 'забудь это|забудь об этом|забудьте это|забудьте об этом|забудь что|забудьте что|забудь про|забудь правило|забудь мое|забудь моё|игнорируй мое|игнорируй моё|игнорируй то|отмени правило|отмена|неважно',
    lapses: 'больше не действует|больше не нужно|больше не применяется|больше не актуально|отменяется',
    allows: 'можешь|можете|можно|разрешаю|разрешено',
    now: 'теперь|сейчас|снова|опять|уже',
    replaces: 'вместо|а не|больше не',
    corrects: 'нет|на самом деле|вообще-то|я сказал|я сказала|лучше|точнее',
    denies: 'никогда|не|нельзя|запрещено|запрещается|избегай|избегайте|без|ни',
    empty:
      'и или но а я ты он она оно мы вы они меня мне тебя тебе нас вас это этот эта эти то тот та те не ни нет никогда всегда только что кто когда где как в во на с со без для по от до из за к у о об про при если бы используй используйте правило инструкция сказал сказала мой моя моё можешь можно теперь сейчас все всё ещё больше',
  },
  zh: {
    strong: '',
    binding:
      '不要|不许|不准|不得|切勿|请勿|禁止|严禁|必须|务必|永远|绝不|绝对不|从现在起|从现在开始|从今以后|今后|以后都|以后不|千万别|别再|别动|别碰|别改|别用|别删|别提交|别推送',
    firm: '总是|始终|一律|不能|不可以|不应该|只能|只准|只用|只使用|只允许|我说过|我说的是|尽量不|我们用|我们使用|我们只用',
    orders: '请使用|请用|改用|使用|优先使用|优先|避免|统一用|保持|一定要|就用|还是用|要用',
    mild: '确保|记住|注意|记得',
    general: '每次|每个|所有|任何|之前|之后|总是|都|不|只|用中文',
    leads: '请|另外|还有|并且|而且|但是|但|那么|好的|好|是的|对|不|不对|你|我们|注意|重要',
    states: '',
    asks: '请|吗|能不能|可以帮|帮我|我想|我需要',
    momentary: '这次|暂时|先不|目前',
    decides: '因为|原因|决定|所以|发现',
    ends: '忘掉|忘记我|忘了我|忘记刚才|忘了刚才|忘记这|忘记之前|忘了这|算了|忽略我|忽略之前|取消之前|撤销我|收回',
    lapses: '不再适用|作废|不再需要|不再有效',
    allows: '可以|允许|没问题',
    now: '现在|了|又',
    replaces: '而不是|代替|取代|替代|而不用|不要用',
    corrects: '不对|其实|应该是|我说的是|还是',
    denies: '不|别|禁止|勿|避免',
    empty: '请 不要 必须 使用 改用 可以 现在 关于 规则 指令 说的 说过 我说 之前 刚才 忘记 忘掉 不再 适用',
  },
  ja: {
    strong: '',
    binding:
      'しないで|しないこと|ないでください|ないでほしい|てはいけ|ではいけ|てはなら|てはだめ|禁止|絶対に|決して|必ず|常に|今後は|これからは|以後は|今後一切|触らない|変更しない',
    firm: 'いつも|べきではな|と言った|と言いました|だけを使|のみを使|のみ使|だけ使',
    orders:
      'を使って|を使用して|を使うこと|を使用すること|を避けて|は避けて|を優先|にしてください|でお願いします|の代わりに|ではなく',
    mild: '覚えて|注意して|確認して|気をつけて',
    general: '毎回|すべて|全て|常に|必ず|前に|後に|とき|時は|日本語で',
    leads: '',
    states: '',
    asks: 'ください|してほしい|お願い|できますか|もらえますか',
    momentary: '今回は|とりあえず|今だけ|まだ',
    decides: 'なぜなら|原因|決定|理由|ため',
    ends: '忘れて|なかったことに|取り消し|取り消す|無視して|撤回|気にしないで',
    lapses: '適用しない|適用されない|不要になった|不要になりました|無効です',
    allows: 'てもいい|ても構|てよい|して大丈夫|許可',
    now: 'もう|今は|これから|再び|また',
    replaces: '',
    corrects: 'いや|いえ|実は|やっぱり|違います|違う',
    denies: 'ない|禁止|てはいけ|てはなら|避けて|ず',
    empty: 'ください して する ない こと これ それ ルール 指示 言った 前の について いい です ます もう 使っ 使用',
  },
  ko: {
    strong: '',
    binding:
      '하지 마|하지마|지 마세요|지 마라|지 마십|지 마요|지마세요|지마라|지 말|지 마.|지 마!|절대|반드시|항상|금지|앞으로는|앞으로|지금부터|이제부터|무조건|하면 안|해서는 안|으면 안|면 안 돼|면 안 됩',
    firm: '언제나|꼭|만 사용|만 써|라고 했|말했|선호',
    orders:
      '사용하세요|사용해|사용하십|써 주세요|써주세요|쓰세요|써줘|을 써|를 써|대신|영어로 부탁|한국어로 부탁|피하세요|피해|우선|유지',
    mild: '확인|기억|주의|명심',
    general: '매번|모든|모두|항상|전에|후에|때마다|한국어로',
    leads: '',
    states: '',
    asks: '해줘|해 줘|해주세요|해 주세요|부탁|할 수 있|주시겠',
    momentary: '이번에|이번만|일단|지금은|아직',
    decides: '때문|원인|이유|결정|그래서',
    ends: '잊어|무시해|무시하|취소할게|취소해|철회|신경 쓰지',
    lapses: '더 이상 적용|더는 적용|더 이상 필요|유효하지 않',
    allows: '해도 돼|해도 됩|해도 좋|도 괜찮|허용|해도 된',
    now: '이제|지금|다시',
    replaces: '',
    corrects: '아니|사실|역시|그게 아니',
    denies: '지 마|지마|지 말|금지|안 돼|안 됩|면 안|피하',
    empty:
      '규칙 지시 말한 이전 그 이 저 것 대해 대한 사용 사용해 사용하세요 주세요 해줘 마세요 절대 항상 반드시 이제 해도',
  },
}
