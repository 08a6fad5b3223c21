import type { ModelMessage } from 'ai'
import { type Damage, renderDamagedLines } from '../../sessions/load-session.ts'
import { shortenHome } from '../../sessions/shorten-home.ts'
import { renderPlural } from '../../terminal/render.ts'
import { wrapSpans } from '../../terminal/spans.ts'
import { renderPreview } from '../../terminal/terminal-text.ts'
import type { ChatAgent } from '../chat-agent.ts'
import type { ChatScreen } from './chat-screen.ts'
import { isSummaryText } from './context-contents.ts'
import { createAnswerEntry, createRequestEntry, MARGIN } from './entry.ts'
import { renderShort } from './gauge.ts'

const SHOWN_MESSAGES = 6
const MAX_SHOWN_LENGTH = 1500

/** What this chat is, and how far it had come. */
export function showBeginning(
  agent: ChatAgent,
  { workingDirectory, isDemo }: { readonly workingDirectory: string; readonly isDemo: boolean },
  screen: ChatScreen,
): void {
  const { context, resumed, model, historyFile } = agent
  screen.show((columns, palette) => {
    const facts = [
      renderPreview(model, 60),
      `window ${renderShort(context.state.windowTokens)}`,
      renderPreview(shortenHome(workingDirectory), Math.max(columns - 4, 10)),
    ]
    const line = (text: string) => wrapSpans([{ text, style: palette.quiet }], columns, { first: MARGIN })
    return [
      `${palette.accent('◆')} ${palette.strong('précis chat')}`,
      ...line(facts.join(' · ')),
      ...(isDemo ? line('demo: a scripted model answers, nothing leaves this machine') : []),
      ...(historyFile === undefined ? line('the disk takes no history: this chat is not kept') : []),
      ...line(`${isDemo ? 'say hello to see what to try · ' : ''}/help lists commands and keys`),
    ]
  })
  for (const notice of agent.notices) screen.say(notice, 'warning')
  if (!resumed) return
  const repaired =
    resumed.repairedCalls > 0 ? `, ${renderPlural(resumed.repairedCalls, 'open tool call')} answered` : ''
  showMessages(context.messages, screen)
  screen.say(
    `goes on with ${resumed.from} ${resumed.id}: ${renderPlural(resumed.messages, 'message')}${repaired}${renderLeftOut(resumed.damage)}.`,
  )
}

/** What of the file is no part of the chat, each behind a comma; empty where all is. */
export function renderLeftOut(damage: Damage): string {
  const { lines, cutOffBytes } = damage
  const cut = cutOffBytes > 0 ? `, ${cutOffBytes} bytes of an unfinished write left out` : ''
  return lines > 0 ? `${cut}, damaged ${renderDamagedLines(damage)} left out` : cut
}

/** The newest words of both sides. */
function showMessages(messages: readonly ModelMessage[], screen: ChatScreen): void {
  const spoken = messages.flatMap((message) => {
    const text = readWords(message)
    return text === '' || (message.role !== 'user' && message.role !== 'assistant')
      ? []
      : [{ role: message.role, text }]
  })
  for (const { role, text } of spoken.slice(-SHOWN_MESSAGES)) {
    if (isSummaryText(text)) {
      screen.say(`what was before is summarized: ${renderPlural(text.length, 'character')}.`)
      continue
    }
    const shown = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
    screen.add(role === 'user' ? createRequestEntry(shown) : createAnswerEntry(shown))
  }
}

const MAX_REQUESTS = 50

/** What the person said, oldest first: the editor goes back through it. */
export function listRequests(messages: readonly ModelMessage[]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(readWords)
    .filter((text) => text !== '' && !isSummaryText(text))
    .slice(-MAX_REQUESTS)
}

/** The last request, and what has to be sent for it: nothing where it still waits for an answer. */
export function findRequest(messages: readonly ModelMessage[]): { shown: string; sent: string } | undefined {
  const shown = listRequests(messages).at(-1)
  const role = messages.at(-1)?.role
  return shown === undefined ? undefined : { shown, sent: role === 'user' || role === 'tool' ? '' : shown }
}

function readWords({ content }: ModelMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
