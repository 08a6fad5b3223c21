/** The command `/precis`: what compactions removed, without a turn of the model. */
import { neutralizeLine, neutralizeText, renderPlural } from '@precis/core/text'
import { isInstalled } from './keep-original.ts'
import type { Mod, RenderEvent } from './mod.ts'
import { findReceipt, listSections, type ReceiptSection, storeReceipt } from './receipt.ts'
import { findRemoved, NOTHING_REMOVED, RECALL_NAME, searchRemoved } from './removed.ts'
import { copyEarlier, readSessionFile, writeSessionFile } from './session-file.ts'

/** The second is for users who have another command or skill of the first name. */
export const COMMAND_NAMES = ['precis', 'precis-plugin'] as const

/** The name that the agent gave it. Undefined if both are taken. */
export async function registerCommand($: Mod): Promise<string | undefined> {
  for (const name of COMMAND_NAMES) {
    try {
      await $.command.register({ name, description: DESCRIPTION, argumentHint: ARGUMENTS })
      return name
    } catch {
      // The name is taken.
    }
  }
  return undefined
}

const DESCRIPTION =
  'Shows what compactions removed from this conversation, finds it, and undoes them'
const ARGUMENTS = '[recall <words> | undo]'

const PANE = 'receipt'

/** The text for the user. `command`: the name that they typed. */
export async function runCommand($: Mod, words: string, command: string): Promise<string> {
  const [name = '', ...rest] = words.trim().split(/\s+/)
  if (name === '') return await showReceipt($, command)
  if (name === 'undo' && rest.length === 0) return await undo($)
  if (name === 'recall' && rest.length > 0)
    return neutralizeText(await searchRemoved($, { query: rest.join(' ') }))
  return `It knows no "${neutralizeLine(words)}". ${renderHelp(command)}`
}

const renderHelp = (command: string): string =>
  `"/${command}" shows the latest compaction, "/${command} recall <words>" finds what was removed, and "/${command} undo" writes the conversation from before the compaction as a new session.`

async function showReceipt($: Mod, command: string): Promise<string> {
  const { compactions, sessions, notes } = await findRemoved($)
  const session = await $.session.id()
  const receipt = await findReceipt($, [session, ...sessions])
  // For the pane, in a session that was forked.
  if (receipt) await storeReceipt($, receipt)
  if (compactions === 0 && !receipt) {
    return [NOTHING_REMOVED, ...notes, renderHelp(command)].join(' ')
  }
  const opened =
    receipt && (await $.session.surfaces()).length > 0
      ? await $.ui.open({ id: PANE, title: 'precis' })
      : undefined
  // The summary is long, so only the pane shows it.
  const sections = receipt ? listSections(receipt).slice(0, opened?.isPlaced ? 1 : -1) : []
  return [
    `${renderPlural(compactions, 'compaction')} so far.`,
    ...(receipt ? renderSections(sections) : [NO_RECEIPT]),
    ...notes,
    ...((await isInstalled($)) ? [] : [NO_ARCHIVE]),
    '',
    `Find what was removed: /${command} recall <words>. The model finds it with ${RECALL_NAME}.`,
    `Go back: /${command} undo writes the conversation from before the latest compaction as a new session.`,
  ].join('\n')
}

const NO_RECEIPT = 'precis has no receipt of them: it did not make them, or not in this session.'

const NO_ARCHIVE =
  'Claude Code does not find the command precis, so the archive has no copy. The session file has everything.'

const renderSections = (sections: readonly ReceiptSection[]): string[] =>
  sections.flatMap(({ title, lines }) => ['', `${title}:`, ...lines.map((line) => `  ${line}`)])

async function undo($: Mod): Promise<string> {
  const { transcriptPath } = await $.session.info()
  if (transcriptPath === '') return 'This session has no file, so nothing was kept to go back to.'
  const file = await readSessionFile($, transcriptPath)
  // Its earliest part has no beginning.
  if (file.isCut && file.parts.length <= 2)
    return 'What stood before the latest compaction is not within the newest 64 MB of the session, which is all that is read, so nothing was written.'
  if (file.parts.length < 2) return 'This session has no compaction to undo.'
  const sessionId = crypto.randomUUID()
  const text = await copyEarlier($, file, sessionId)
  if (text === undefined)
    return 'This session was forked after its compaction. Undo it in the session that it was forked from.'
  await writeSessionFile($, `${transcriptPath.replace(/[^/\\]*$/, '')}${sessionId}.jsonl`, text)
  return `The conversation from before the latest compaction is a new session, and this one stays as it is. Go back to it with: claude --resume ${sessionId}`
}

/** The receipt in a pane, on any surface. */
export async function renderPane($: Mod, event: RenderEvent): Promise<unknown> {
  const { Box, Text } = $.ui.resolve(event)
  const receipt = await findReceipt($, [await $.session.id()])
  const sections = receipt ? listSections(receipt) : [{ title: NO_RECEIPT, lines: [] }]
  return h(
    Box,
    { flexDirection: 'column' },
    ...sections.map(({ title, lines }) =>
      h(
        Box,
        { flexDirection: 'column', marginBottom: 1 },
        h(Text, { bold: true }, title),
        ...lines.map((line) => h(Text, { wrap: 'wrap' }, line === '' ? ' ' : line)),
      ),
    ),
  )
}

/** The agent's own, a global of its modules. */
declare const h: (component: unknown, props: object, ...children: unknown[]) => unknown

export const PANE_SITE = { component: 'Pane', requestId: PANE } as const
