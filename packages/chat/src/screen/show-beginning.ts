import { isInjectedText, isSummaryText } from '@precis/core/conversation'
import { renderPlural } from '@precis/core/text'
import type { ModelMessage } from 'ai'
import type { ChatAgent } from '../contract/chat-agent.ts'
import type { Damage } from '../contract/ports.ts'
import { MARGIN, type Palette } from '../rendering/chat-view.ts'
import { AnswerEntry, createRequestEntry } from '../rendering/entry.ts'
import { renderShort } from '../rendering/status.ts'
import { wrapText } from '../rendering/wrap.ts'
import type { ChatScreen } from './chat-screen.ts'

const SHOWN_MESSAGES = 6
const MAX_SHOWN_LENGTH = 1500

/** Shows which chat this is, and its last messages. */
export function showBeginning(
  agent: ChatAgent,
  { workingDirectory, isDemo }: { readonly workingDirectory: string; readonly isDemo: boolean },
  screen: ChatScreen,
): void {
  const { context, resumed, model, historyFile } = agent
  screen.show((columns, palette) => {
    const facts = [
      palette.preview(model, 60),
      `window ${renderShort(context.state.windowTokens)}`,
      palette.preview(palette.shortenHome(workingDirectory), Math.max(columns - 4, 10)),
    ]
    const line = (text: string) => wrapText(palette.quiet(text), columns, { first: MARGIN })
    return [
      `${palette.accent('◆')} ${palette.strong('précis chat')}`,
      ...line(facts.join(' · ')),
      ...(isDemo ? line('demo: a recorded session answers, nothing leaves this machine') : []),
      ...(historyFile === undefined
        ? line('the disk takes no history: this chat is not kept')
        : []),
      ...line(`${isDemo ? 'say hello to see what to try · ' : ''}/help lists commands and keys`),
    ]
  })
  for (const notice of agent.notices) screen.say(notice, 'warning')
  if (!resumed) return
  showMessages(context.messages, screen)
  const { from, id, messages, repairedCalls, damage } = resumed
  const repaired =
    repairedCalls > 0 ? `, ${renderPlural(repairedCalls, 'open tool call')} answered` : ''
  const rest = repaired + renderLeftOut(damage, screen.palette)
  screen.say(`goes on with ${from} ${id}: ${renderPlural(messages, 'message')}${rest}.`)
}

/**
 * Lists the parts of the file that are not in the chat, each after a comma. Empty if everything is.
 */
export function renderLeftOut(damage: Damage, { reports }: Palette): string {
  const { lines, cutOffBytes, records = 0 } = damage
  return [
    cutOffBytes > 0 ? `, ${cutOffBytes} bytes of an unfinished write left out` : '',
    lines > 0 ? `, damaged ${reports.damagedLines(damage)} left out` : '',
    records > 0 ? `, ${renderPlural(records, 'damaged record')} left out` : '',
  ].join('')
}

/** The latest words of both sides. */
function showMessages(messages: readonly ModelMessage[], screen: ChatScreen): void {
  const spoken = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const worded = spoken.map((message) => ({ role: message.role, text: readWords(message) }))
  for (const { role, text } of worded
    .filter((message) => message.text !== '')
    .slice(-SHOWN_MESSAGES)) {
    const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
    if (isSummaryText(text))
      screen.say(`what was before is summarized: ${renderPlural(text.length, 'character')}.`)
    else if (role === 'assistant') screen.add(new AnswerEntry(shown))
    else if (!isInjectedText(text)) screen.add(createRequestEntry(shown))
  }
}

const MAX_REQUESTS = 50

/** The user's messages, oldest first, for the editor's history. */
export function listRequests(messages: readonly ModelMessage[]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(readWords)
    .filter((text) => text !== '' && !isInjectedText(text))
    .slice(-MAX_REQUESTS)
}

/**
 * The last request, and the text to send for it. The text is empty if the request still waits for
 * an answer.
 */
export function findRequest(
  messages: readonly ModelMessage[],
): { shown: string; sent: string } | undefined {
  const shown = listRequests(messages).at(-1)
  const role = messages.at(-1)?.role
  return shown === undefined
    ? undefined
    : { shown, sent: role === 'user' || role === 'tool' ? '' : shown }
}

function readWords({ content }: ModelMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
