/**
 * A chat without a screen: one question per line on standard input, answers on standard output, the
 * rest on standard error.
 */

import { createInterface } from 'node:readline'
import { neutralizeText } from '@precis/core/text'
import { type Chat, parseSlashLine } from '../commands/index.ts'
import type { ChatAgent } from '../contract/chat-agent.ts'
import type { TerminalPort } from '../contract/ports.ts'
import type { ChatView, Choice, Palette, YesNo } from '../rendering/chat-view.ts'
import { renderCompressionLine } from '../rendering/compression-report.ts'
import { createContentsMeasure, type WindowContents } from '../rendering/context-contents.ts'
import { renderToolRun, toToolOutput } from '../rendering/entry.ts'
import { renderWait } from '../rendering/status.ts'
import type { ChatSetting } from './live-chat.ts'
import { findRequest, renderLeftOut } from './show-beginning.ts'

/**
 * Ends with the input, or with /quit. Returns the last open agent, and how many requests and
 * commands failed.
 */
export async function runPlainChat(
  setting: ChatSetting,
  palette: Palette,
  terminal: TerminalPort,
): Promise<{ readonly agent: ChatAgent; readonly failures: number }> {
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
      terminal.note(`precis: ${isYes ? 'yes' : 'no'}, because nobody is there to ask.`)
      return isYes
    }
    const answer = (await readLine(isYes ? '[Y/n] ' : '[y/N] '))?.trim().toLowerCase() ?? ''
    return answer === '' ? isYes : answer.startsWith('y')
  }
  const chat = new PlainChat(setting, createPlainView(palette, terminal, ask), terminal)
  let failures = 0
  for (
    let line = await readLine('› ');
    line !== undefined;
    line = chat.isOver ? undefined : await readLine('› ')
  ) {
    if (line.trim() !== '' && !(await chat.take(line))) failures++
  }
  input.close()
  await chat.agent.close()
  return { agent: chat.agent, failures }
}

class PlainChat implements Chat {
  agent: ChatAgent
  isOver = false
  readonly view: ChatView
  readonly workingDirectory: string
  readonly #setting: ChatSetting
  readonly #terminal: TerminalPort
  readonly #measure = createContentsMeasure()

  constructor(setting: ChatSetting, view: ChatView, terminal: TerminalPort) {
    this.agent = setting.agent
    this.view = view
    this.workingDirectory = setting.workingDirectory
    this.#setting = setting
    this.#terminal = terminal
    this.#begin()
  }

  #begin(): void {
    const { notices, resumed } = this.agent
    for (const notice of notices) this.view.say(notice, 'warning')
    const leftOut = resumed ? renderLeftOut(resumed.damage, this.view.palette) : ''
    if (resumed && leftOut !== '')
      this.view.say(`goes on with ${resumed.from} ${resumed.id}${leftOut}.`, 'warning')
  }

  readonly measure = (): WindowContents => this.#measure(this.agent)

  readonly resend = async (): Promise<void> => {
    const again = findRequest(this.agent.context.messages)
    if (!again) this.view.say('nothing was asked yet.')
    else if (!(await this.#answer(again.sent))) throw new Error('the request failed again.')
  }

  readonly reopen = async (session: string): Promise<void> => {
    const next = await this.#setting.open(session)
    await this.agent.close()
    this.agent = next
    this.view.say(`goes on with ${next.resumed?.from ?? 'chat'} ${next.resumed?.id ?? ''}.`)
    this.#begin()
  }

  readonly quit = (): void => {
    this.isOver = true
  }

  /** A request or a command. False if it failed. */
  async take(line: string): Promise<boolean> {
    const slash = parseSlashLine(line)
    try {
      if (!slash) return await this.#answer(line)
      if (slash.type === 'command') await slash.command.run(slash.argument, this)
      else this.#terminal.note(`precis: ${slash.explanation}`)
      return slash.type === 'command'
    } catch (error) {
      this.#terminal.note(
        neutralizeText(`precis: ${error instanceof Error ? error.message : String(error)}`),
      )
      return false
    }
  }

  async #answer(text: string): Promise<boolean> {
    const { columns, note, print } = this.#terminal
    const { palette } = this.view
    let isWhole = true
    let said = ''
    const inputs = new Map<string, unknown>()
    const endText = () => {
      if (said.trim() !== '') print(neutralizeText(said.replaceAll('\t', '    ').trimEnd()))
      said = ''
    }
    for await (const event of this.agent.send(text, { signal: new AbortController().signal })) {
      if (event.type === 'text') said += event.delta
      else if (event.type === 'retry') {
        said = ''
        const { message, delayMs, attempt, attempts } = event
        const when = delayMs > 0 ? ` in ${renderWait(delayMs)}` : ''
        note(
          neutralizeText(
            `precis: ${message}; trying again${when}, attempt ${attempt} of ${attempts}.`,
          ),
        )
      } else if (event.type === 'tool-call') {
        said += '\n'
        inputs.set(event.callId, event.input)
      } else if (event.type === 'usage') {
        // No retry discards it any more.
        endText()
      } else if (event.type === 'tool-result') {
        const result = toToolOutput(event.output, event.isError)
        const run = { name: event.name, input: inputs.get(event.callId), result }
        note(renderToolRun(run, columns, palette).join('\n'))
      } else if (event.type === 'compression') {
        endText()
        note(
          renderCompressionLine(event.compression, columns, palette, event.pausedSummarizer).join(
            '\n',
          ),
        )
      } else if (event.type === 'error') {
        isWhole = false
        note(
          neutralizeText(
            `precis: ${event.message}${event.hint === undefined ? '' : `\n${event.hint}`}`,
          ),
        )
      }
    }
    endText()
    return isWhole
  }
}

function createPlainView(
  palette: Palette,
  terminal: TerminalPort,
  ask: (asked: YesNo) => Promise<boolean>,
): ChatView {
  return {
    palette,
    say: (text, tone = 'plain') => {
      const isPlain = tone === 'plain' || tone === 'good'
      if (isPlain) terminal.print(neutralizeText(text))
      else terminal.note(`precis: ${neutralizeText(text)}`)
    },
    show: (render) => terminal.print(render(terminal.columns, palette).join('\n')),
    async choose(choice) {
      const rows = await completeRows(choice)
      terminal.print(palette.table({ columns: choice.columns, rows }, terminal.columns).join('\n'))
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
