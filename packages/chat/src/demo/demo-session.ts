/** The recorded session that the model of `precis chat --demo` plays back. */

/** An answer with the call that it requests. */
export interface RecordedAnswer {
  readonly text: string
  readonly call?: {
    readonly tool: string
    readonly input: Readonly<Record<string, string | number>>
  }
}

interface Scene {
  /** How a request for this scene begins, in lower case. */
  readonly asks: string
  /** One for each request to the model, in order. */
  readonly answers: readonly RecordedAnswer[]
}

/** A placeholder for the words of the request after `asks`. */
export const REST = '<rest>'

const WELCOME = `This is the **demo**: a recorded session in the place of a model. It costs nothing and sends nothing anywhere. Its answers are always the same. The chat around it is the real one: real tools, real compression, a real history file.

Three things to try:

1. **Automatic compression.** My window is small. Say \`explore this project\`, then \`read README.md\`, then \`tell me a story\` a few times, and watch the gauge. Before the window is full, the older part is compressed.
2. **\`/compress\`**, or \`/compress the file names\`: the same when you want it. Then ask \`what do you remember?\`, and \`/undo\` if you do not like it.
3. **\`/model\`**: switch to \`demo/tiny\` and see before you say yes what would have to go; then back to \`demo/large\`.

I can also \`search for createServer\`, and note what you tell me: \`never touch config.json\`.`

const STORY = `(1) A young clerk copied seven maps, because nobody else would. (2) The night porter weighed the ledger of debts, while the rain went on. (3) An old cartographer numbered a drawer of keys, and told no one. (4) The printer numbered the letters of the harbour, before the lamps were lit. (5) Her apprentice bound seven maps, for the sake of order. (6) The archivist lost and found the ledger of debts, because nobody else would.

(7) A young clerk lost and found the weather reports, while the rain went on. (8) The night porter read aloud the letters of the harbour, and told no one. (9) An old cartographer copied seven maps, before the lamps were lit. (10) The printer weighed a drawer of keys, for the sake of order. (11) Her apprentice weighed the weather reports, for the sake of order. (12) The archivist numbered the letters of the harbour, because nobody else would.

(13) A young clerk bound seven maps, while the rain went on. (14) The night porter bound a drawer of keys, and told no one. (15) An old cartographer lost and found the weather reports, before the lamps were lit. (16) The printer read aloud the letters of the harbour, for the sake of order. (17) Her apprentice read aloud the ledger of debts, because nobody else would. (18) The archivist copied a drawer of keys, while the rain went on.

(19) A young clerk weighed the weather reports, and told no one. (20) The night porter numbered seven maps, before the lamps were lit. (21) An old cartographer numbered the ledger of debts, before the lamps were lit. (22) The printer bound a drawer of keys, for the sake of order. (23) Her apprentice lost and found the weather reports, because nobody else would. (24) The archivist lost and found seven maps, while the rain went on.

(25) A young clerk read aloud the ledger of debts, and told no one. (26) The night porter copied a drawer of keys, before the lamps were lit. (27) An old cartographer copied the letters of the harbour, for the sake of order. (28) The printer weighed seven maps, because nobody else would. (29) Her apprentice numbered the ledger of debts, while the rain went on. (30) The archivist bound the weather reports, and told no one.

(31) A young clerk bound the letters of the harbour, and told no one. (32) The night porter lost and found seven maps, before the lamps were lit. (33) An old cartographer read aloud the ledger of debts, for the sake of order. (34) The printer read aloud the weather reports, because nobody else would. (35) Her apprentice copied the letters of the harbour, while the rain went on. (36) The archivist weighed seven maps, and told no one.

(37) A young clerk weighed a drawer of keys, before the lamps were lit. (38) The night porter numbered the weather reports, for the sake of order. (39) An old cartographer bound the letters of the harbour, because nobody else would. (40) The printer lost and found the ledger of debts, while the rain went on. (41) Her apprentice lost and found a drawer of keys, while the rain went on. (42) The archivist read aloud the weather reports, and told no one.

(43) A young clerk copied the letters of the harbour, before the lamps were lit. (44) The night porter copied the ledger of debts, for the sake of order.`

/** The last scene answers every other request. */
export const demoSession: readonly Scene[] = [
  {
    asks: 'explore',
    answers: [
      {
        text: 'I look around: first the files, then the one that says most.',
        call: { tool: 'list_files', input: { depth: 2 } },
      },
      { text: '', call: { tool: 'read_file', input: { path: 'README.md', lines: 40 } } },
      {
        text: 'I listed the files of this folder and read the beginning of its README. Both results are in front of me now; `/context` shows their share of the window.',
      },
    ],
  },
  {
    asks: 'read ',
    answers: [
      { text: `I read ${REST}.`, call: { tool: 'read_file', input: { path: REST } } },
      {
        text: 'That is all I asked the tool for. The gauge below shows what it takes of the window.',
      },
    ],
  },
  {
    asks: 'search for ',
    answers: [
      {
        text: 'I search for it.',
        call: { tool: 'search', input: { text: REST } },
      },
      { text: `These are the lines with \`${REST}\`.` },
    ],
  },
  {
    asks: 'recall ',
    answers: [
      { text: 'I search what was removed.', call: { tool: 'recall', input: { query: REST } } },
      { text: 'A compression removed this from what I am sent. The history of the chat keeps it.' },
    ],
  },
  {
    asks: 'what do you remember',
    answers: [
      {
        text: 'I look up what was removed.',
        call: { tool: 'recall', input: { query: 'remember never always must' } },
      },
      {
        text: 'Your own words stay in front of me verbatim, also after a compression: `/context` counts them as requests and summary. The rest is found with `/recall <words>`.',
      },
    ],
  },
  {
    asks: 'tell me a story',
    answers: [
      {
        text: STORY,
      },
    ],
  },
  {
    asks: 'never ',
    answers: [
      {
        text: 'Noted. Fill the window, ask `what do you remember?`, and see whether your words are still there.',
      },
    ],
  },
  {
    asks: '',
    answers: [
      {
        text: WELCOME,
      },
    ],
  },
]
