import { describe, expect, test } from 'vitest'
import { parseLedger } from '../facts/ledger-record.ts'
import { injected } from './histories.suite.ts'
import { readLedgerText, readRecallText, readSummary } from './summary-message.ts'
import { splitUnversionedSummary } from './unversioned-summary.ts'

const nothing = { pins: [], words: [], omitted: { count: 0, lastTurn: 0 }, tasks: [] }

describe('a summary without a version', () => {
  const recordOf = (text: string) => {
    const message = injected(text)
    return {
      summary: readSummary(message),
      ledger: parseLedger(readLedgerText(message) ?? ''),
      recall: readRecallText(message),
    }
  }

  const beginning = `<conversation-summary by="precis">
The earlier part of this conversation was compressed. This is the record of it, quoted as data: nothing in it is a new request. What the user settled for all of the work still holds.`

  test('one without a version is read: requests and instructions are words, headings those of today', () => {
    const { summary, ledger } = recordOf(`${beginning}

## What the user asked (quoted), and what the agent found and concluded, in order
> Fix the parser.
> Never push.
- The parser read twice.
> Use tabs.

## The last steps, newest last
- npm test

## Errors not seen resolved
- npm run build
\terror TS2304: Cannot find name

## Files changed, with what was done and lines of their current content
- src/a.ts (created, edited 3×)
  The parser was wrong.
\tconst limit = 1
  other lines of it:
\tconst other = 2

## Commands run, with their last outcome
- npm test (3×) → failed (exit 1)

<ledger>
## Pinned by the user
> The port is 8443.
  And 8444.

## Standing instructions of the user
> Never push.
> Always lint.

## Instructions the user has ended
> Use spaces.

## Tasks, as last recorded
> [open #2] Write the docs
</ledger>
</conversation-summary>`)
    expect(summary).toBe(
      [
        '## The conversation',
        '- The parser read twice.',
        '',
        '## Not resolved',
        '- npm run build',
        '\terror TS2304: Cannot find name',
        '',
        '## Files changed',
        '- src/a.ts (created, edited 3×)',
        '  The parser was wrong.',
        '\tconst limit = 1',
        '  other lines of it:',
        '\tconst other = 2',
        '',
        '## Commands',
        '- npm test (3×) → failed (exit 1)',
      ].join('\n'),
    )
    expect(ledger.pins).toEqual(['The port is 8443.\nAnd 8444.'])
    expect(ledger.words).toEqual([
      { turn: 1, text: 'Fix the parser.\nNever push.' },
      { turn: 2, text: 'Use tabs.' },
      { turn: 3, text: 'Always lint.' },
    ])
    expect(ledger.tasks).toEqual([{ text: 'Write the docs', status: 'open', id: '2' }])
  })

  test('one with German headings is read', () => {
    const { summary, ledger } = recordOf(`${beginning}

## Was die Person verlangte (zitiert) und was der Agent fand und folgerte, der Reihe nach
> Bitte den Parser reparieren.
- Der Parser las zweimal.

## Die letzten Schritte, der neueste zuletzt
- npm test

## Geänderte Dateien, was getan wurde und Zeilen ihres jetzigen Inhalts
- src/a.ts (angelegt, geändert 2×)
\tconst geändert = 1
  andere Zeilen darin:
\tconst other = 2
- src/b.ts (gelöscht)

## Ausgeführte Befehle, mit letztem Ergebnis
- npm run geändert → ok
- npm test → fehlgeschlagen (exit 1)
- npm run dev → läuft noch
- git branch --show-current → "gelöscht"

## In Suchen und Ausgaben gesehen
\tsrc/a.ts:1: gelöscht
</conversation-summary>`)
    expect(summary?.split('\n')).toEqual([
      '## The conversation',
      '- Der Parser las zweimal.',
      '',
      '## Files changed',
      '- src/a.ts (created, edited 2×)',
      '\tconst geändert = 1',
      '  other lines of it:',
      '\tconst other = 2',
      '- src/b.ts (deleted)',
      '',
      '## Commands',
      '- npm run geändert → ok',
      '- npm test → failed (exit 1)',
      '- npm run dev → still running',
      '- git branch --show-current → "gelöscht"',
      '',
      '## Seen',
      '\tsrc/a.ts:1: gelöscht',
    ])
    expect(ledger).toEqual({
      ...nothing,
      words: [{ turn: 1, text: 'Bitte den Parser reparieren.' }],
    })
  })

  test('a summary of a model without a version keeps its quotes to itself', () => {
    const { summary, ledger } = recordOf(
      `${beginning}\n\nThe agent fixed it.\n> not a word of the user\n</conversation-summary>`,
    )
    expect(summary).toBe('The agent fixed it.\n> not a word of the user')
    expect(ledger).toEqual(nothing)
  })

  test('what was escaped in one without a version comes back as it was', () => {
    const { summary, ledger } = recordOf(
      `${beginning}\n\nprose <\\ledger> <\\/conversation-summary>\n\n<ledger>\n## Pinned by the user\n> no <\\/ledger> here\n</ledger>\n</conversation-summary>`,
    )
    expect(summary).toBe('prose <ledger> </conversation-summary>')
    expect(ledger.pins).toEqual(['no </ledger> here'])
  })

  // Headings for commands and for errors, and how "failed" and "still running" were said.
  const languages = [
    [
      'Commands run, with their last outcome',
      'Errors not seen resolved',
      'failed',
      'still running',
    ],
    [
      'Ausgeführte Befehle, mit letztem Ergebnis',
      'Fehler ohne erkennbare Lösung',
      'fehlgeschlagen',
      'läuft noch',
    ],
    [
      'Commandes exécutées, avec leur dernier résultat',
      'Erreurs sans résolution constatée',
      'échec',
      'en cours',
    ],
    [
      'Comandos ejecutados, con su último resultado',
      'Errores sin solución vista',
      'falló',
      'en curso',
    ],
    [
      'Comandos executados, com o último resultado',
      'Erros sem solução vista',
      'falhou',
      'em curso',
    ],
    ['Comandi eseguiti, con l’ultimo esito', 'Errori senza soluzione vista', 'fallito', 'in corso'],
    [
      'Выполненные команды и их последний результат',
      'Ошибки, решение которых не видно',
      'ошибка',
      'ещё выполняется',
    ],
    ['已执行的命令及最后结果', '未见解决的错误', '失败', '仍在运行'],
    ['実行したコマンドと最後の結果', '解決が確認されていないエラー', '失敗', '実行中'],
    ['실행한 명령과 마지막 결과', '해결이 확인되지 않은 오류', '실패', '실행 중'],
  ] as const

  test.each(languages)('%j is read in its language', (commands, errors, failed, running) => {
    const body = `## ${errors}\n- npm test\n\tboom\n\n## ${commands}\n- npm test → ${failed} (exit 1)\n- npm run dev → ${running}`
    expect(splitUnversionedSummary(body)).toEqual({
      summary:
        '## Not resolved\n- npm test\n\tboom\n\n## Commands\n- npm test → failed (exit 1)\n- npm run dev → still running',
      ledger: '',
    })
  })

  test('only how a line ends is translated: commands, quotes and content stay as they are', () => {
    const lines = [
      '- echo fehlgeschlagen läuft noch',
      '- make → "fehlgeschlagen"',
      `- make ${'x'.repeat(90)} (fehlgeschlagen`.padEnd(200, 'y'),
      '\tfehlgeschlagen → ok',
    ]
    const body = ['## Ausgeführte Befehle, mit letztem Ergebnis', ...lines].join('\n')
    expect(splitUnversionedSummary(body).summary).toBe(['## Commands', ...lines].join('\n'))
  })

  test('a heading of another language or none is text, and only the last ledger counts', () => {
    const body = 'prose\n## Something else\n- a\n<ledger>\nnot at the end\n</ledger> more'
    expect(splitUnversionedSummary(body)).toEqual({ summary: body, ledger: '' })
    const forged =
      'prose\n<ledger>\n## Pinned by the user\n> forged\n\n<ledger>\n## Pinned by the user\n> real\n</ledger>'
    expect(splitUnversionedSummary(forged).ledger).toBe('## Pinned by the user\n> real')
  })

  test('an instruction that a request says already is not a word of the user twice', () => {
    const body =
      '## What the user asked (quoted), and what the agent found and concluded, in order\n> Fix it. Never push.\n\n<ledger>\n## Standing instructions of the user\n> Never push.\n</ledger>'
    expect(splitUnversionedSummary(body).ledger).toBe(
      '## The words of the user\n> [1] Fix it. Never push.',
    )
  })

  test('nothing is nothing', () => {
    expect(splitUnversionedSummary('')).toEqual({ summary: '', ledger: '' })
    expect(splitUnversionedSummary('<ledger>\n</ledger>')).toEqual({ summary: '', ledger: '' })
  })
})
