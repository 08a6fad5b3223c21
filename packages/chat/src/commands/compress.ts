import { spends } from '@precis/core/context'
import { renderCount, renderPlural } from '@precis/core/text'
import type { ChatAgent, SettingName } from '../contract/chat-agent.ts'
import { MARGIN } from '../rendering/chat-view.ts'
import { renderCompressionReport } from '../rendering/compression-report.ts'
import { wrapText } from '../rendering/wrap.ts'
import type { SlashCommand } from './command.ts'

export const compressCommand: SlashCommand = {
  name: 'compress',
  aliases: ['summarize'],
  hint: '[what to keep above all]',
  summary: 'make space now',
  runsWhileAnswering: false,
  async run(focus, { agent, view }) {
    const compression = await view.work('compressing', (signal, progress) =>
      agent.context.compress({
        signal,
        instructions: focus === '' ? undefined : focus,
        onProgress: (step, done = 0, total = 0) =>
          progress(total > 1 ? `${step} ${done} of ${total}` : step),
      }),
    )
    view.show((columns, palette) => renderCompressionReport(compression, columns, palette))
    const { tokens, thresholdTokens } = agent.context.state
    if (compression.outcome.type === 'unchanged')
      view.say(
        `it compresses automatically when a request reaches ${renderCount(thresholdTokens)} tokens. The next one has ${renderCount(tokens)} so far.`,
      )
  },
}

export const undoCommand: SlashCommand = {
  name: 'undo',
  summary: 'undo the latest compression',
  runsWhileAnswering: false,
  async run(_, { agent: { context }, view }) {
    if (context.undo()) {
      const tokens = renderCount(context.state.tokens)
      view.say(`compression undone: the history is back to ${tokens} tokens.`, 'good')
    } else if (context.state.isCompressing)
      view.say('a compression runs; Esc cancels it.', 'warning')
    else view.say('there is no compression to undo.')
  },
}

export const pinCommand: SlashCommand = {
  name: 'pin',
  hint: '[text]',
  summary: 'keep a text verbatim in every compression; alone: list them',
  runsWhileAnswering: true,
  async run(text, { agent: { context }, view }) {
    if (text !== '') {
      context.pin(text)
      view.say(`pinned, verbatim in every compression: “${text}”`, 'good')
    } else view.say(renderPins(context.listPins()))
  },
}

function renderPins(pins: readonly string[]): string {
  if (pins.length === 0)
    return 'nothing is pinned. /pin <text> keeps a text verbatim in every compression.'
  return ['pinned:', ...pins.map((pin) => `• ${pin}`)].join('\n')
}

export const unpinCommand: SlashCommand = {
  name: 'unpin',
  hint: '<text>',
  summary: 'end a pin, from the next compression on',
  runsWhileAnswering: true,
  listArguments: ({ context }) => [...context.listPins()],
  async run(text, { agent: { context }, view }) {
    if (text === '')
      view.say(`which pin shall end? /unpin <text>. ${renderPins(context.listPins())}`)
    else if (context.unpin(text))
      view.say(`no longer pinned, from the next compression on: “${text}”`, 'good')
    else view.say(`“${text}” is no pin. ${renderPins(context.listPins())}`, 'warning')
  },
}

const MAX_SHOWN = 8
const EXCERPT_COLUMNS = 240

export const recallCommand: SlashCommand = {
  name: 'recall',
  hint: '<words>',
  summary: 'search what compressions removed',
  runsWhileAnswering: true,
  async run(query, { agent, view }) {
    const usage = 'what shall be looked for? /recall <words> searches in what compressions removed.'
    if (query === '') return view.say(usage)
    const found = agent.recall(query)
    if (found.length === 0) return view.say(`nothing that was removed says “${query}”.`)
    const title = `${renderPlural(found.length, 'removed passage')} for “${view.palette.preview(query, 60)}”`
    view.show((columns, { accent, quiet, preview }) => [
      ...wrapText(title, columns, { first: `${accent('◆')} `, rest: MARGIN }),
      ...found.slice(0, MAX_SHOWN).flatMap(({ role, position, excerpt }) => {
        const line = `${quiet(`${role} ${position}  `)}${preview(excerpt, EXCERPT_COLUMNS)}`
        return wrapText(line, columns, { first: MARGIN, rest: `${MARGIN}  ` })
      }),
      ...(found.length > MAX_SHOWN ? [quiet(`${MARGIN}and ${found.length - MAX_SHOWN} more`)] : []),
    ])
  },
}

export const retryCommand: SlashCommand = {
  name: 'retry',
  summary: 'send the last request again',
  runsWhileAnswering: false,
  run: (_, { resend }) => resend(),
}

interface Setting {
  readonly name: SettingName
  readonly hint: string
  readonly summary: string
  /** Shown if it is not set. */
  readonly unset: string
  readonly values: (agent: ChatAgent) => readonly string[]
}

const DEFAULT = 'default'

const settings: readonly Setting[] = [
  {
    name: 'strategy',
    hint: '[name]',
    summary: 'which parts go when the window is full',
    unset: 'auto',
    values: ({ strategies }) => strategies,
  },
  {
    name: 'summarizer',
    hint: '[digest or provider/model]',
    summary: 'what writes summaries',
    unset: 'digest',
    values: (agent) => [
      'digest',
      ...agent.listModels().flatMap(({ name }) => (name.startsWith('demo/') ? [] : name)),
    ],
  },
  {
    name: 'spend',
    hint: '[least, balanced or most-context]',
    summary: 'what a long history may cost',
    unset: 'balanced',
    values: () => spends,
  },
  {
    name: 'threshold',
    hint: '[share of the window, or tokens]',
    summary: 'the size from which it is compressed',
    unset: 'as spend decides',
    values: () => ['50%', '60%', '70%', '80%', '90%', '120k'],
  },
  {
    name: 'keep',
    hint: '[head:|tail:amount]',
    summary: 'what stays verbatim at the ends',
    unset: 'as the strategy decides',
    values: () => ['tail:3turns', 'tail:20%', 'tail:20messages', 'tail:5k', 'head:10%'],
  },
]

/** Each shows its value, or with an argument changes it. */
const oneSettingCommands: readonly SlashCommand[] = settings.map(
  ({ name, hint, summary, unset, values }) => ({
    name,
    hint,
    summary: `${summary}; alone: show it`,
    runsWhileAnswering: false,
    listArguments: (agent) => [...values(agent), DEFAULT],
    async run(text, { agent, view }) {
      if (text !== '')
        await agent.changeSetting(name, text.toLowerCase() === DEFAULT ? undefined : text)
      const now = agent.settings[name] ?? unset
      if (text !== '') view.say(`${name} is now ${now}.`, 'good')
      else
        view.say(
          `${name}: ${now}. For example: ${values(agent).slice(0, 8).join(', ')}; or ${DEFAULT}.`,
        )
    },
  }),
)

/** `/set threshold 60%`, as in other chats, does the same as `/threshold 60%`. */
const setCommand: SlashCommand = {
  name: 'set',
  hint: '[name value]',
  summary: 'change a setting by its name; alone: show all',
  runsWhileAnswering: false,
  listArguments: () => settings.map(({ name }) => name),
  async run(text, chat) {
    const [word = '', value = ''] = text.split(/\s+([\s\S]*)/, 2)
    const command = oneSettingCommands.find(({ name }) => name === word.toLowerCase())
    if (command) return await command.run(value, chat)
    const { agent, view } = chat
    const shown = settings.map(
      ({ name, unset }) => `/set ${name}: ${agent.settings[name] ?? unset}`,
    )
    const unknown = word === '' ? [] : [`there is no setting “${word}”.`]
    view.say(
      [...unknown, ...shown, NAMES_OF_OTHERS].join('\n'),
      unknown.length > 0 ? 'warning' : undefined,
    )
  },
}

const NAMES_OF_OTHERS = 'names of other systems: docs/names.md of the repository.'

/** `/strategy`, `/summarizer`, `/spend`, `/threshold`, `/keep`, and `/set` for all of them. */
export const settingCommands: readonly SlashCommand[] = [...oneSettingCommands, setCommand]
