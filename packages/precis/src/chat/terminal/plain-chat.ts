/** A chat without a screen: a question per line on standard input, answers on standard output, the rest on standard error. */
import { createInterface } from 'node:readline'
import { asFailure } from '../../cli/failure.ts'
import { renderTable } from '../../terminal/render.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { neutralizeText } from '../../terminal/terminal-text.ts'
import type { ChatAgent } from '../chat-agent.ts'
import { renderWait } from './activity.ts'
import type { ChatView, Choice, YesNo } from './chat-view.ts'
import { type Chat, parseSlashLine } from './commands/index.ts'
import { renderCompressionLine } from './compression-report.ts'
import { createContentsMeasure } from './context-contents.ts'
import type { ChatSetting } from './live-chat.ts'
import type { Palette } from './palette.ts'
import { findRequest, renderLeftOut } from './show-beginning.ts'
import { renderToolRun, toToolOutput } from './tool-run.ts'

export interface PlainResult {
  readonly agent: ChatAgent
  /** How many requests and commands failed. */
  readonly failures: number
}

/** Ends with the input, or with /quit. */
export async function runPlainChat(setting: ChatSetting, palette: Palette, terminal: Terminal): Promise<PlainResult> {
  const isAttended = process.stdin.isTTY === true
  const input = createInterface({ input: process.stdin, terminal: false })
  const lines = input[Symbol.asyncIterator]()
  const readLine = async (prompt: string) => {
    if (isAttended) process.stderr.write(prompt)
    const { value, done } = await lines.next()
    return done ? undefined : String(value)
  }
  const ask = async ({ title, what, detail, default: isYes }: YesNo) => {
    terminal.note(neutralizeText([title, what, detail].filter((text) => text !== '').join('\n')))
    if (!isAttended) {
      terminal.note(
        isYes ? 'precis: yes, because nobody is there to ask.' : 'precis: no, because nobody is there to ask.',
      )
      return isYes
    }
    const answer = (await readLine(isYes ? '[Y/n] ' : '[y/N] '))?.trim().toLowerCase() ?? ''
    return answer === '' ? isYes : answer.startsWith('y')
  }
  setting.setConfirm((question) => ask({ title: `Allow ${question.tool}?`, ...question, default: false }))
  const view = createPlainView(palette, terminal, ask)
  const resend = async (agent: ChatAgent) => {
    const again = findRequest(agent.context.messages)
    if (!again) view.say('nothing was asked yet.')
    else if (!(await answer(again.sent, agent, terminal, palette))) throw new Error('the request failed again.')
  }
  const { notices, resumed } = setting.agent
  for (const notice of notices) view.say(notice, 'warning')
  const leftOut = resumed ? renderLeftOut(resumed.damage) : ''
  if (resumed && leftOut !== '') view.say(`goes on with ${resumed.from} ${resumed.id}${leftOut}.`, 'warning')
  const chat = createPlainChat(setting, view, resend)
  let failures = 0
  for (
    let line = await readLine('› ');
    line !== undefined && !chat.isOver();
    line = chat.isOver() ? undefined : await readLine('› ')
  ) {
    if (line.trim() === '') continue
    if (!(await takeLine(line, chat, terminal, palette))) failures++
  }
  input.close()
  await chat.agent.close()
  return { agent: chat.agent, failures }
}

function createPlainChat(
  setting: ChatSetting,
  view: ChatView,
  resend: (agent: ChatAgent) => Promise<void>,
): Chat & { isOver(): boolean } {
  const measure = createContentsMeasure()
  let { agent } = setting
  let isOver = false
  return {
    view,
    workingDirectory: setting.workingDirectory,
    get agent() {
      return agent
    },
    measure: () => measure(agent),
    resend: () => resend(agent),
    async reopen(session) {
      const next = await setting.open(session)
      await agent.close()
      agent = next
      view.say(`goes on with ${agent.resumed?.from ?? 'chat'} ${agent.resumed?.id ?? ''}.`)
    },
    quit: () => {
      isOver = true
    },
    isOver: () => isOver,
  }
}

function createPlainView(palette: Palette, terminal: Terminal, ask: (asked: YesNo) => Promise<boolean>): ChatView {
  return {
    palette,
    say: (text, tone = 'plain') =>
      tone === 'bad' || tone === 'warning'
        ? terminal.note(`precis: ${neutralizeText(text)}`)
        : terminal.print(neutralizeText(text)),
    show: (render) => terminal.print(render(terminal.columns, palette).join('\n')),
    async choose(choice) {
      const rows = await completeRows(choice)
      terminal.print(renderTable({ columns: choice.columns, rows }, terminal.columns, palette.colors))
      terminal.note(choice.instead)
      return undefined
    },
    confirm: ask,
    work: (_label, run) => run(new AbortController().signal, () => {}),
  }
}

async function completeRows({ rows, complete }: Choice): Promise<(readonly string[])[]> {
  const cells = new Map(rows.map((row) => [row.value, row.cells]))
  await complete?.((row) => cells.set(row.value, row.cells), new AbortController().signal)
  return [...cells.values()]
}

/** False when it failed. */
async function takeLine(line: string, chat: Chat, terminal: Terminal, palette: Palette): Promise<boolean> {
  const slash = parseSlashLine(line)
  try {
    if (slash?.type === 'unknown') {
      terminal.note(`precis: ${slash.explanation}`)
      return false
    }
    if (slash) await slash.command.run(slash.argument, chat)
    else return await answer(line, chat.agent, terminal, palette)
    return true
  } catch (error) {
    terminal.note(
      neutralizeText(
        `precis: ${asFailure(error)?.message ?? (error instanceof Error ? error.message : String(error))}`,
      ),
    )
    return false
  }
}

async function answer(text: string, agent: ChatAgent, terminal: Terminal, palette: Palette): Promise<boolean> {
  let isWhole = true
  let said = ''
  const inputs = new Map<string, unknown>()
  const endText = () => {
    if (said.trim() !== '') terminal.print(neutralizeText(said.replaceAll('\t', '    ').trimEnd()))
    said = ''
  }
  for await (const event of agent.send(text, { signal: new AbortController().signal })) {
    if (event.type === 'text') said += event.delta
    else if (event.type === 'retry') {
      said = ''
      const { message, delayMs, attempt, attempts } = event
      const when = delayMs > 0 ? ` in ${renderWait(delayMs)}` : ''
      terminal.note(neutralizeText(`precis: ${message}; trying again${when}, attempt ${attempt} of ${attempts}.`))
    } else if (event.type === 'tool-call') {
      endText()
      inputs.set(event.callId, event.input)
    } else if (event.type === 'tool-result') {
      const result = toToolOutput(event.output, event.isError)
      const run = { name: event.name, input: inputs.get(event.callId), result }
      terminal.note(renderToolRun(run, terminal.columns, palette).join('\n'))
    } else if (event.type === 'compression') {
      endText()
      terminal.note(
        renderCompressionLine(event.compression, terminal.columns, palette, event.pausedSummarizer).join('\n'),
      )
    } else if (event.type === 'error') {
      isWhole = false
      terminal.note(neutralizeText(`precis: ${event.message}${event.hint === undefined ? '' : `\n${event.hint}`}`))
    }
  }
  endText()
  return isWhole
}
