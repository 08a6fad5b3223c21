/** `/strategy`, `/summarizer`, `/threshold` and `/keep`: alone they show what holds, with a value they change it. */
import { strategyChoices } from '../../../configuration/strategy-choices.ts'
import type { ChatAgent, SettingName } from '../../chat-agent.ts'
import type { SlashCommand } from './command.ts'

interface Setting {
  readonly name: SettingName
  readonly hint: string
  readonly summary: string
  /** Where nobody set it. */
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
    values: () => Object.keys(strategyChoices),
  },
  {
    name: 'summarizer',
    hint: '[digest or provider/model]',
    summary: 'what writes summaries',
    unset: 'digest',
    values: (agent) => [
      'digest',
      ...agent.listModels().flatMap(({ name }) => (name.startsWith('demo/') ? [] : [name])),
    ],
  },
  {
    name: 'threshold',
    hint: '[share of the window]',
    summary: 'from where on it is compressed',
    unset: '80%, and later while the cache is warm and it fits',
    values: () => ['50%', '60%', '70%', '80%', '90%'],
  },
  {
    name: 'keep',
    hint: '[head:|tail:amount]',
    summary: 'what stays verbatim at the ends',
    unset: 'what the strategy keeps by itself',
    values: () => ['tail:3turns', 'tail:20%', 'tail:20messages', 'tail:5k', 'head:10%'],
  },
]

export const settingCommands: readonly SlashCommand[] = settings.map(({ name, hint, summary, unset, values }) => ({
  name,
  hint,
  summary: `${summary}; alone: show it`,
  runsWhileAnswering: false,
  listArguments: (agent) => [...values(agent), DEFAULT],
  async run(text, { agent, view }) {
    if (text !== '') await agent.changeSetting(name, text.toLowerCase() === DEFAULT ? undefined : text)
    const now = agent.settings[name] ?? unset
    if (text !== '') view.say(`${name} is now ${now}.`, 'good')
    else view.say(`${name}: ${now}. For example: ${values(agent).slice(0, 8).join(', ')}; or ${DEFAULT}.`)
  },
}))
