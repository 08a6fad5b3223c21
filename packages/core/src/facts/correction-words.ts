/**
 * What a person sets right and in which language they want things written, in the ten languages of the digest. Plain
 * data: words or phrases in lower case, parted by `|`; a sentence has to consist of them, so other words are no match.
 */
export interface CorrectionWords {
  /** Opens a correction. */
  readonly opens: string
  /** Articles and the like in front of a setting. */
  readonly articles: string
  /** What has one value that lasts: not what a run of something came to. */
  readonly settings: string
  /** Between a setting and its value. */
  readonly copulas: string
  /** Between a setting and a name that may be any word. */
  readonly naming: string
  /** May stand between the copula and the value. */
  readonly places: string
  /** What agents write. */
  readonly things: string
  /** Joins and limits what agents write. */
  readonly glue: string
  /** Languages that people speak, with the word in front of them where there is one. */
  readonly tongues: string
  readonly polite: string
}

export const correctionWords: readonly CorrectionWords[] = [
  {
    opens:
      "no|nope|wrong|that's wrong|this is wrong|that is wrong|not quite|actually|correction|sorry|no wait|wait|i meant",
    articles:
      'the|our|my|your|its|this|that|a|an|default|main|right|correct|actual|real|test|staging|production|prod|dev|target|source|base',
    settings:
      'port|ports|host|hostname|url|uri|endpoint|address|domain|branch|tag|remote|file|filename|path|folder|directory|dir|root|config|name|prefix|suffix|extension|table|column|field|key|schema|function|method|class|type|module|package|library|version|release|database|db|user|username|account|email|project|repo|repository|org|organization|team|owner|environment|env|variable|flag|option|parameter|setting|command|script|task|target|deadline|limit|timeout|threshold|interval|region|zone|bucket|queue|topic|channel|cluster|namespace|service|image|registry|license|model|ticket|id|format|encoding|currency|timezone',
    copulas: 'is|are|should be|must be|has to be|lives in|belongs in|goes in|is in|is at|is under|is on',
    naming: 'is called|is named|are called|should be called|must be called|should be named',
    places: 'in|at|under|on|now|just|still|port|version|tag|branch|file',
    things:
      'commit message|commit messages|commit|commits|messages|message|comment|comments|code comment|code comments|answer|answers|reply|replies|response|responses|doc|docs|documentation|docstrings|changelog|changelogs|log message|log messages|logs|error message|error messages|errors|pr|prs|pr description|pr descriptions|pull request|pull requests|description|descriptions|title|titles|release note|release notes|notes|names|variable names|identifiers|text|texts|everything|all|ui texts|tests|test names|issues|code|communication',
    glue: 'and|the|all|your|every|also|only|always|in the|for|of|but|then|ok|okay|from now on|again|no|my|our|new|be|should be|must be|just|back|simple|plain|american|british',
    tongues:
      'in english|in german|in french|in spanish|in portuguese|in italian|in russian|in chinese|in japanese|in korean|in dutch|in polish|english|german|french|spanish|portuguese|italian|russian|chinese|japanese|korean|dutch|polish',
    polite: 'please|pls|plz|thanks|thank you',
  },
  {
    opens:
      'nein|ne|nee|falsch|das ist falsch|stimmt nicht|das stimmt nicht|eigentlich|korrektur|moment|nicht ganz|ich meinte',
    articles: 'der|die|das|den|dem|unser|unsere|mein|meine|richtige|standard|test',
    settings:
      'port|host|url|adresse|domain|branch|zweig|datei|dateiname|pfad|ordner|verzeichnis|konfiguration|name|tabelle|spalte|feld|schlüssel|schema|funktion|methode|klasse|typ|modul|paket|bibliothek|version|datenbank|benutzer|konto|projekt|repo|repository|umgebung|variable|option|befehl|skript|frist|limit|timeout|grenze|schwelle|region|format',
    copulas: 'ist|sind|lautet|liegt in|liegt unter|ist in|steht in|gehört in|muss|soll',
    naming: 'heißt|heissen|heißen|heisst',
    places: 'in|unter|auf|im|jetzt|port|version',
    things:
      'commit-nachrichten|commit-nachricht|commitnachrichten|commit-messages|commits|commit|nachrichten|kommentare|code-kommentare|antworten|antwort|doku|dokumentation|texte|namen|bezeichner|fehlermeldungen|pr|prs|beschreibungen|titel|alles|changelog|code|variablennamen',
    glue: 'und|die|alle|deine|auch|nur|immer|der|im|von|ab jetzt|wieder|aber|ok',
    tongues:
      'auf deutsch|auf englisch|auf französisch|auf spanisch|auf italienisch|deutsch|englisch|in deutsch|in englisch',
    polite: 'bitte|danke',
  },
  {
    opens: "non|faux|c'est faux|en fait|erreur|pas tout à fait|je voulais dire",
    articles: 'le|la|les|l|notre|mon|ma|bon|bonne',
    settings:
      'port|hôte|url|adresse|domaine|branche|fichier|chemin|dossier|répertoire|nom|table|colonne|champ|clé|schéma|fonction|méthode|classe|type|module|paquet|bibliothèque|version|utilisateur|compte|projet|dépôt|environnement|variable|option|commande|script|limite|délai|seuil|région|format',
    copulas: 'est|sont|doit être|se trouve dans|est dans|est sous',
    naming: "s'appelle|s'appellent|se nomme",
    places: 'dans|sous|sur|maintenant',
    things:
      'messages de commit|message de commit|messages|commits|commentaires|réponses|réponse|documentation|doc|docs|textes|noms|descriptions|titres|tout|code',
    glue: 'et|les|tous|tes|vos|aussi|seulement|uniquement|toujours|de|du|le|la|désormais|mais|ok',
    tongues: 'en français|en anglais|en allemand|en espagnol|en italien',
    polite: "s'il te plaît|s'il vous plaît|stp|svp|merci",
  },
  {
    opens: 'no|incorrecto|mal|eso está mal|en realidad|corrección|quise decir',
    articles: 'el|la|los|las|nuestro|nuestra|mi',
    settings:
      'puerto|host|url|dirección|dominio|rama|archivo|fichero|ruta|carpeta|directorio|nombre|tabla|columna|campo|clave|esquema|función|método|clase|tipo|módulo|paquete|biblioteca|versión|usuario|cuenta|proyecto|repositorio|entorno|variable|opción|comando|script|límite|plazo|umbral|región|formato',
    copulas: 'es|son|debe ser|está en|debería ser',
    naming: 'se llama|se llaman',
    places: 'en|bajo|ahora',
    things:
      'mensajes de commit|mensaje de commit|mensajes|commits|comentarios|respuestas|respuesta|documentación|textos|nombres|descripciones|títulos|todo|código',
    glue: 'y|los|las|todos|todas|tus|también|solo|sólo|siempre|de|el|la|ahora|pero|ok',
    tongues: 'en español|en inglés|en alemán|en francés|en portugués|en italiano',
    polite: 'por favor|gracias',
  },
  {
    opens: 'não|errado|está errado|na verdade|correção|eu quis dizer',
    articles: 'o|a|os|as|nosso|nossa|meu|minha',
    settings:
      'porta|host|url|endereço|domínio|branch|arquivo|ficheiro|caminho|pasta|diretório|nome|tabela|coluna|campo|chave|esquema|função|método|classe|tipo|módulo|pacote|biblioteca|versão|usuário|conta|projeto|repositório|ambiente|variável|opção|comando|script|limite|prazo|região|formato',
    copulas: 'é|são|deve ser|fica em|está em',
    naming: 'se chama|chama-se|chamam-se',
    places: 'em|no|na|agora',
    things:
      'mensagens de commit|mensagem de commit|mensagens|commits|comentários|respostas|resposta|documentação|textos|nomes|descrições|títulos|tudo|código',
    glue: 'e|os|as|todos|todas|também|só|apenas|sempre|de|do|agora|mas|ok',
    tongues: 'em português|em inglês|em espanhol|em francês|em alemão',
    polite: 'por favor|obrigado|obrigada',
  },
  {
    opens: 'no|sbagliato|è sbagliato|in realtà|correzione|intendevo',
    articles: 'il|lo|la|i|gli|le|l|nostro|nostra|mio|mia',
    settings:
      'porta|host|url|indirizzo|dominio|branch|ramo|file|percorso|cartella|directory|nome|tabella|colonna|campo|chiave|schema|funzione|metodo|classe|tipo|modulo|pacchetto|libreria|versione|utente|account|progetto|repository|ambiente|variabile|opzione|comando|script|limite|scadenza|soglia|regione|formato',
    copulas: 'è|sono|deve essere|si trova in|sta in',
    naming: 'si chiama|si chiamano',
    places: 'in|su|sotto|ora',
    things:
      'messaggi di commit|messaggio di commit|messaggi|commit|commenti|risposte|risposta|documentazione|testi|nomi|descrizioni|titoli|tutto|codice',
    glue: 'e|i|gli|le|tutti|tutte|anche|solo|sempre|di|del|il|la|ora|ma|ok',
    tongues: 'in italiano|in inglese|in tedesco|in francese|in spagnolo',
    polite: 'per favore|per piacere|grazie',
  },
  {
    opens: 'нет|неверно|неправильно|на самом деле|поправка|я имел в виду|я имела в виду',
    articles: 'наш|наша|мой|моя|этот|эта',
    settings:
      'порт|хост|адрес|домен|ветка|файл|путь|папка|каталог|имя|таблица|колонка|поле|ключ|схема|функция|метод|класс|тип|модуль|пакет|версия|пользователь|проект|репозиторий|окружение|переменная|опция|команда|скрипт|лимит|срок|регион|формат',
    copulas: 'это|находится в|лежит в|должен быть|теперь',
    naming: 'называется|называются',
    places: 'в|на|под|теперь',
    things:
      'сообщения коммитов|сообщения к коммитам|сообщения|коммиты|комментарии|ответы|ответ|документация|документацию|тексты|имена|описания|всё|все|код',
    glue: 'и|все|тоже|только|всегда|теперь|но|пиши|отвечай',
    tongues: 'на русском|на английском|по-русски|по-английски|на немецком',
    polite: 'пожалуйста|спасибо',
  },
]

/** Chinese, Japanese and Korean: a correction in front, a setting, a value that is written in Latin letters or figures. */
export const UNSPACED_CORRECTION =
  /^(?:不对|不是的|错了|不，|不,|其实|いいえ|いや|違います|違う|실은|아니요|아니|아뇨|사실)[，,、。\s]{0,3}[^，,、。？?\n]{0,12}(?:端口|地址|分支|文件|路径|目录|名字|名称|表|字段|函数|类|版本|域名|数据库|ポート|アドレス|ブランチ|ファイル|パス|フォルダ|名前|テーブル|関数|クラス|バージョン|ドメイン|포트|주소|브랜치|파일|경로|폴더|이름|테이블|함수|클래스|버전|도메인)(?:是|为|叫|在|は|が|는|은|이|가)\s?`?[\w./:@-]{2,80}`?\s?(?:です|だ|でした|になります|입니다|이에요|예요|이야|야)?[。.!！]?$/
