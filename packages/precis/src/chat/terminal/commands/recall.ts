import { renderPlural } from '../../../terminal/render.ts'
import { wrapSpans } from '../../../terminal/spans.ts'
import { renderPreview } from '../../../terminal/terminal-text.ts'
import { MARGIN } from '../entry.ts'
import type { SlashCommand } from './command.ts'

const MAX_SHOWN = 8
const EXCERPT_COLUMNS = 240

export const recallCommand: SlashCommand = {
  name: 'recall',
  hint: '<words>',
  summary: 'search in what compressions removed',
  runsWhileAnswering: true,
  async run(query, { agent, view }) {
    if (query === '') {
      view.say('what shall be looked for? /recall <words> searches in what compressions removed.')
      return
    }
    const found = agent.recall(query)
    if (found.length === 0) {
      view.say(`nothing that was removed says “${query}”.`)
      return
    }
    view.show((columns, palette) => [
      ...wrapSpans(
        [{ text: `${renderPlural(found.length, 'removed passage')} for ` }, { text: `“${renderPreview(query, 60)}”` }],
        columns,
        {
          first: `${palette.accent('◆')} `,
          rest: MARGIN,
        },
      ),
      ...found
        .slice(0, MAX_SHOWN)
        .flatMap(({ role, position, excerpt }) =>
          wrapSpans(
            [
              { text: `${role} ${position}  `, style: palette.quiet },
              { text: renderPreview(excerpt, EXCERPT_COLUMNS) },
            ],
            columns,
            { first: MARGIN, rest: `${MARGIN}  ` },
          ),
        ),
      ...(found.length > MAX_SHOWN ? [palette.quiet(`${MARGIN}and ${found.length - MAX_SHOWN} more`)] : []),
    ])
  },
}
