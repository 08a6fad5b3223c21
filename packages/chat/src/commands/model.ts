import type { SwitchPreview } from '@precis/core'
import { neutralizeLine, renderCount } from '@precis/core/text'
import type { ChatModel } from '../contract/chat-agent.ts'
import type { ChoiceRow, Palette } from '../rendering/chat-view.ts'
import { renderCompressionLine } from '../rendering/compression-report.ts'
import { renderShort } from '../rendering/status.ts'
import type { Chat, SlashCommand } from './command.ts'

export const modelCommand: SlashCommand = {
  name: 'model',
  hint: '[provider/model]',
  summary: 'continue with another model; shows first what that would do',
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
    rows: models.map((model) => toRow(model, undefined, view.palette)),
    instead: 'Give its name: /model <provider/model>.',
    async complete(change, signal) {
      for (const model of models) {
        if (signal.aborted) return
        const preview = await agent.context.previewSwitch(model.name, {
          windowTokens: model.windowTokens,
        })
        change(toRow(model, preview, view.palette))
        // Keys are handled between two counts of the history.
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  })
}

function toRow(
  { name, windowTokens, pricesPerMillionTokens: prices }: ChatModel,
  preview: SwitchPreview | undefined,
  palette: Palette,
): ChoiceRow {
  const price = prices ? `$${prices.input} / $${prices.output}` : '–'
  return {
    value: name,
    cells: [
      palette.preview(name, 60),
      renderShort(windowTokens),
      preview ? VERDICTS[preview.verdict] : '…',
      price,
    ],
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

/** Describes in a sentence or two what a switch would do. */
function explainPreview(preview: SwitchPreview): string {
  const { verdict, tokens, tokensAfter, safeTokens, losses, refusal } = preview
  const sizes = `${renderCount(tokens)} tokens, ${renderCount(safeTokens)} are safe there`
  const lost =
    losses.length > 0
      ? ` But ${losses.map(({ explanation }) => neutralizeLine(explanation)).join(' ')}`
      : ''
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
      const { item, itemTokens } = refusal
      return `Cannot fit: ${sizes}; ${neutralizeLine(item)} alone: ${renderCount(itemTokens)}.`
    }
  }
}

async function switchTo(asked: string, { agent, view }: Chat): Promise<void> {
  // Throws before the user has to answer.
  const { name, windowTokens, isKnown } = agent.findModel(asked)
  const preview = await agent.context.previewSwitch(name, { windowTokens })
  if (
    preview.verdict === 'same-model' ||
    preview.verdict === 'cannot-fit' ||
    preview.verdict === 'busy'
  ) {
    const tone = preview.verdict === 'same-model' ? 'plain' : 'warning'
    return view.say(`${neutralizeLine(name)}: ${explainPreview(preview)}`, tone)
  }
  const window = `its window is taken for ${renderCount(windowTokens)} tokens`
  const unknown = isKnown ? '' : `The catalogue has no such model; ${window}. `
  const detail = unknown + explainPreview(preview)
  const question = { title: 'Switch the model?', what: name, detail, default: true }
  if (!(await view.confirm(question))) return view.say('the model stays.')
  const result = await view.work(`switching to ${neutralizeLine(name)}`, (signal) =>
    agent.switchModel(name, { signal }),
  )
  const { outcome, explanation, compression } = result
  if (outcome.type === 'unchanged') return view.say(`${name} answers already.`, 'good')
  if (outcome.type !== 'switched') return view.say(`the model stays: ${explanation}`, 'warning')
  if (compression)
    view.show((columns, palette) => renderCompressionLine(compression, columns, palette))
  view.say(`now ${name} answers.`, 'good')
}
