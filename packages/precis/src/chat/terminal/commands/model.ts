import type { SwitchPreview, SwitchResult } from '@precis/core'
import type { ChoiceRow } from '../../../terminal/picker.ts'
import { renderCount } from '../../../terminal/render.ts'
import { neutralizeLine, renderPreview } from '../../../terminal/terminal-text.ts'
import type { ChatModel } from '../../chat-agent.ts'
import { renderCompressionLine } from '../compression-report.ts'
import { renderShort } from '../gauge.ts'
import type { Chat, SlashCommand } from './command.ts'

export const modelCommand: SlashCommand = {
  name: 'model',
  hint: '[provider/model]',
  summary: 'go on with another model; shows first what that would do',
  runsWhileAnswering: false,
  listArguments: (agent) => agent.listModels().map(({ name }) => name),
  async run(name, chat) {
    const chosen = name === '' ? await chooseModel(chat) : name
    if (chosen !== undefined) await switchTo(chosen, chat)
  },
}

async function chooseModel({ agent, view }: Chat): Promise<string | undefined> {
  const models = agent.listModels()
  return await view.choose({
    title: `now ${neutralizeLine(agent.model)}; go on with`,
    columns: [
      { title: 'model', shrinkTo: 12 },
      { title: 'window', align: 'right' },
      { title: 'fits' },
      { title: 'in / out per M', align: 'right', shrinkTo: 0, style: view.palette.quiet },
    ],
    rows: models.map((model) => toRow(model, undefined)),
    instead: 'Give its name: /model <provider/model>.',
    async complete(change, signal) {
      for (const model of models) {
        if (signal.aborted) return
        change(toRow(model, await agent.context.previewSwitch(model.name, { windowTokens: model.windowTokens })))
        // Each preview counts the history for another model; keys get through in between.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  })
}

function toRow(
  { name, windowTokens, pricesPerMillionTokens: prices }: ChatModel,
  preview: SwitchPreview | undefined,
): ChoiceRow {
  const price = prices ? `$${prices.input} / $${prices.output}` : '–'
  return {
    value: name,
    cells: [renderPreview(name, 60), renderShort(windowTokens), preview ? VERDICTS[preview.verdict] : '…', price],
    ...(preview && { detail: explainPreview(preview) }),
  }
}

const VERDICTS: Readonly<Record<SwitchPreview['verdict'], string>> = {
  'same-model': 'in use',
  fits: 'as it is',
  'fits-after-clearing': 'after clearing',
  'fits-after-summary': 'after summary',
  'cannot-fit': 'no',
  busy: '–',
}

/** What a switch would do, in a sentence or two. */
function explainPreview({ verdict, tokens, tokensAfter, safeTokens, losses, refusal }: SwitchPreview): string {
  const sizes = `${renderCount(tokens)} tokens, ${renderCount(safeTokens)} are safe there`
  const lost = losses.length > 0 ? ` But ${losses.map(({ explanation }) => neutralizeLine(explanation)).join(' ')}` : ''
  switch (verdict) {
    case 'same-model':
      return 'This model answers now.'
    case 'busy':
      return 'A compression runs; wait for it or cancel it with Esc.'
    case 'fits':
      return `Fits as it is: ${sizes}.${lost}`
    case 'fits-after-clearing':
      return `Fits once old tool output is cleared: ${sizes}; ${renderCount(tokensAfter)} stay.${lost}`
    case 'fits-after-summary':
      return `Fits once the middle is summarized: ${sizes}; about ${renderCount(tokensAfter)} stay.${lost}`
    case 'cannot-fit': {
      const why = refusal ? `; ${neutralizeLine(refusal.item)} alone: ${renderCount(refusal.itemTokens)}` : ''
      return `Cannot fit: ${sizes}${why}.`
    }
  }
}

async function switchTo(asked: string, { agent, view }: Chat): Promise<void> {
  // Throws for a name nobody knows and for a missing key: nothing is asked that could not be done.
  const { name, windowTokens, isKnown } = agent.findModel(asked)
  const preview = await agent.context.previewSwitch(name, { windowTokens })
  if (preview.verdict === 'same-model' || preview.verdict === 'cannot-fit' || preview.verdict === 'busy') {
    view.say(
      `${neutralizeLine(name)}: ${explainPreview(preview)}`,
      preview.verdict === 'same-model' ? 'plain' : 'warning',
    )
    return
  }
  const question = {
    title: 'Switch the model?',
    what: name,
    detail: `${isKnown ? '' : explainUnknown(windowTokens)}${explainPreview(preview)}`,
    isProse: true,
    default: true,
  }
  if (!(await view.confirm(question))) {
    view.say('the model stays.')
    return
  }
  const result = await view.work(`switching to ${neutralizeLine(name)}`, (signal) =>
    agent.switchModel(name, { signal }),
  )
  showResult(result, name, { view })
}

function explainUnknown(windowTokens: number): string {
  return `The catalogue has no such model; its window is taken for ${renderCount(windowTokens)} tokens. `
}

function showResult(result: SwitchResult, name: string, { view }: Pick<Chat, 'view'>): void {
  if (result.type === 'refused') {
    view.say(`the model stays: ${result.explanation}`, 'warning')
    return
  }
  if (result.type === 'switched' && result.compression) {
    const { compression } = result
    view.show((columns, palette) => renderCompressionLine(compression, columns, palette))
  }
  view.say(result.type === 'switched' ? `now ${name} answers.` : `${name} answers already.`, 'good')
}
