/** The words a digest adds of its own, in the person's language. */
import type { Language } from '../language.ts'
import type { SectionName } from './candidate.ts'

/** Headings, and words for what became of a file or a command. */
export interface Wording {
  readonly headings: Readonly<Record<SectionName, string>>
  readonly created: string
  readonly edited: string
  readonly deleted: string
  readonly failed: string
  readonly ok: string
  /** A command that had not ended. */
  readonly running: string
  /** Stands before the agent's question that the person answered. */
  readonly asked: string
  /** Stands before lines of a changed file that the agent did not write. */
  readonly otherLines: string
}

const wording = (
  [course, latest, errors, changed, read, commands, found]: readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ],
  [created, edited, deleted, failed, ok, otherLines, running, asked]: readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ],
): Wording => ({
  headings: { course, latest, errors, changed, read, commands, found },
  created,
  edited,
  deleted,
  failed,
  ok,
  otherLines,
  running,
  asked,
})

export const wordings: Readonly<Record<Language, Wording>> = {
  en: wording(
    [
      'What the user asked (quoted), and what the agent found and concluded, in order',
      'The last steps, newest last',
      'Errors not seen resolved',
      'Files changed, with what was done and lines of their current content',
      'Files read, with lines that matter',
      'Commands run, with their last outcome',
      'Seen in searches and output',
    ],
    ['created', 'edited', 'deleted', 'failed', 'ok', 'other lines of it:', 'still running', 'asked'],
  ),
  de: wording(
    [
      'Was die Person verlangte (zitiert) und was der Agent fand und folgerte, der Reihe nach',
      'Die letzten Schritte, der neueste zuletzt',
      'Fehler ohne erkennbare Lösung',
      'Geänderte Dateien, was getan wurde und Zeilen ihres jetzigen Inhalts',
      'Gelesene Dateien, mit wichtigen Zeilen',
      'Ausgeführte Befehle, mit letztem Ergebnis',
      'In Suchen und Ausgaben gesehen',
    ],
    ['angelegt', 'geändert', 'gelöscht', 'fehlgeschlagen', 'ok', 'andere Zeilen darin:', 'läuft noch', 'gefragt'],
  ),
  fr: wording(
    [
      'Ce que la personne a demandé (cité), et ce que l’agent a trouvé et conclu, dans l’ordre',
      'Les dernières étapes, la plus récente à la fin',
      'Erreurs sans résolution constatée',
      'Fichiers modifiés, ce qui a été fait et lignes de leur contenu actuel',
      'Fichiers lus, avec les lignes importantes',
      'Commandes exécutées, avec leur dernier résultat',
      'Vu dans les recherches et les sorties',
    ],
    ['créé', 'modifié', 'supprimé', 'échec', 'ok', 'autres lignes :', 'en cours', 'question'],
  ),
  es: wording(
    [
      'Lo que pidió la persona (citado), y lo que el agente encontró y concluyó, en orden',
      'Los últimos pasos, el más reciente al final',
      'Errores sin solución vista',
      'Archivos modificados, qué se hizo y líneas de su contenido actual',
      'Archivos leídos, con las líneas importantes',
      'Comandos ejecutados, con su último resultado',
      'Visto en búsquedas y salidas',
    ],
    ['creado', 'modificado', 'borrado', 'falló', 'ok', 'otras líneas:', 'en curso', 'pregunta'],
  ),
  pt: wording(
    [
      'O que a pessoa pediu (citado), e o que o agente encontrou e concluiu, por ordem',
      'Os últimos passos, o mais recente no fim',
      'Erros sem solução vista',
      'Arquivos alterados, o que foi feito e linhas do conteúdo atual',
      'Arquivos lidos, com as linhas importantes',
      'Comandos executados, com o último resultado',
      'Visto em buscas e saídas',
    ],
    ['criado', 'alterado', 'apagado', 'falhou', 'ok', 'outras linhas:', 'em curso', 'pergunta'],
  ),
  it: wording(
    [
      'Che cosa ha chiesto la persona (citato), e che cosa l’agente ha trovato e concluso, in ordine',
      'Gli ultimi passi, il più recente alla fine',
      'Errori senza soluzione vista',
      'File modificati, che cosa è stato fatto e righe del contenuto attuale',
      'File letti, con le righe importanti',
      'Comandi eseguiti, con l’ultimo esito',
      'Visto in ricerche e output',
    ],
    ['creato', 'modificato', 'eliminato', 'fallito', 'ok', 'altre righe:', 'in corso', 'domanda'],
  ),
  ru: wording(
    [
      'Что просил пользователь (дословно), что нашёл и заключил агент, по порядку',
      'Последние шаги, самый новый в конце',
      'Ошибки, решение которых не видно',
      'Изменённые файлы: что сделано и строки их текущего содержимого',
      'Прочитанные файлы, важные строки',
      'Выполненные команды и их последний результат',
      'Встретилось в поиске и выводе',
    ],
    ['создан', 'изменён', 'удалён', 'ошибка', 'успешно', 'другие строки файла:', 'ещё выполняется', 'вопрос'],
  ),
  zh: wording(
    [
      '用户的要求（原文）以及代理的发现和结论（按顺序）',
      '最后的步骤（最新的在最后）',
      '未见解决的错误',
      '已修改的文件：所做的修改及当前内容的要点行',
      '已读取的文件及要点行',
      '已执行的命令及最后结果',
      '搜索和输出中所见',
    ],
    ['已创建', '已修改', '已删除', '失败', '成功', '其他行：', '仍在运行', '询问'],
  ),
  ja: wording(
    [
      'ユーザーの依頼（原文）とエージェントの発見・結論（時系列）',
      '最後の手順（最新が最後）',
      '解決が確認されていないエラー',
      '変更したファイル：変更内容と現在の内容の要点',
      '読んだファイルと要点の行',
      '実行したコマンドと最後の結果',
      '検索と出力で見たもの',
    ],
    ['作成', '変更', '削除', '失敗', '成功', 'その他の行：', '実行中', '質問'],
  ),
  ko: wording(
    [
      '사용자의 요청(원문)과 에이전트가 찾고 결론지은 것, 순서대로',
      '마지막 단계, 최신이 마지막',
      '해결이 확인되지 않은 오류',
      '변경된 파일: 한 일과 현재 내용의 줄',
      '읽은 파일과 중요한 줄',
      '실행한 명령과 마지막 결과',
      '검색과 출력에서 본 것',
    ],
    ['생성됨', '수정됨', '삭제됨', '실패', '성공', '다른 줄:', '실행 중', '질문'],
  ),
}
