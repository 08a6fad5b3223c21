/** Lines of the person become requests and commands: one request at a time, the others wait their turn. */
import { asFailure } from '../../cli/failure.ts'
import { neutralizeLine } from '../../terminal/terminal-text.ts'
import type { ChatAgent, Confirm } from '../chat-agent.ts'
import type { ChatScreen } from './chat-screen.ts'
import { type Chat, parseSlashLine, type SlashCommand } from './commands/index.ts'
import { createContentsMeasure, type WindowContents } from './context-contents.ts'
import { converse } from './converse.ts'
import { createRequestEntry } from './entry.ts'
import { renderShort } from './gauge.ts'
import { findRequest, listRequests, showBeginning } from './show-beginning.ts'

export interface ChatSetting {
  readonly agent: ChatAgent
  readonly isDemo: boolean
  readonly workingDirectory: string
  /** Opens another chat or session with the same options. */
  readonly open: (session: string) => Promise<ChatAgent>
  /** Whom the tools ask from now on. */
  readonly setConfirm: (confirm: Confirm) => void
}

export class LiveChat implements Chat {
  readonly view: ChatScreen
  readonly workingDirectory: string
  readonly quit: () => void
  readonly #setting: ChatSetting
  readonly #measure = createContentsMeasure()
  #agent: ChatAgent
  #isBusy = false
  #waiting: string[] = []
  #stopListening: (() => void) | undefined

  constructor(setting: ChatSetting, view: ChatScreen, quit: () => void) {
    this.#setting = setting
    this.#agent = setting.agent
    this.view = view
    this.workingDirectory = setting.workingDirectory
    this.quit = quit
    setting.setConfirm(({ tool, what, detail }, signal) =>
      view.confirm({ title: `Allow ${neutralizeLine(tool)}?`, what, detail, default: false }, signal),
    )
  }

  get agent(): ChatAgent {
    return this.#agent
  }

  readonly measure = (): WindowContents => this.#measure(this.#agent)

  /** What stands above the first request. */
  begin(): void {
    const { context } = this.#agent
    showBeginning(this.#agent, this.#setting, this.view)
    for (const request of listRequests(context.messages)) this.view.addToHistory(request)
    this.#stopListening?.()
    this.#stopListening = context.on('compression-started', ({ tokens, isAhead }) => {
      if (!isAhead) this.view.setActivity(`compressing ${renderShort(tokens)} tokens`)
    })
  }

  readonly reopen = async (session: string): Promise<void> => {
    const next = await this.view.work('opening', () => this.#setting.open(session))
    await this.#agent.close()
    this.#agent = next
    this.view.clear()
    this.begin()
  }

  readonly resend = async (): Promise<void> => {
    const again = findRequest(this.#agent.context.messages)
    if (again) await this.#converse(again.shown, again.sent)
    else this.view.say('nothing was asked yet.')
  }

  /** Takes a line as it was typed. Never rejects. */
  async take(text: string): Promise<void> {
    if (text.trim() === '') return
    this.view.addToHistory(text)
    const slash = parseSlashLine(text)
    if (slash?.type === 'unknown') this.view.say(slash.explanation, 'warning')
    else if (slash) await this.#run(slash.command, slash.argument)
    else if (this.#isBusy) this.#wait(text)
    else await this.#converse(text)
  }

  async #run(command: SlashCommand, argument: string): Promise<void> {
    if (command.runsWhileAnswering) return await this.#report(command.run(argument, this))
    if (this.#isBusy) {
      this.view.say(`/${command.name} has to wait for what runs; Esc cancels it.`, 'warning')
      return
    }
    this.#isBusy = true
    await this.#report(command.run(argument, this))
    this.#isBusy = false
    await this.#takeNext()
  }

  async #report(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      this.#showError(error)
    }
  }

  async #converse(text: string, sent = text): Promise<void> {
    this.#isBusy = true
    this.view.add(createRequestEntry(text))
    let isWhole = false
    try {
      isWhole = await this.view.work('thinking', (signal) => converse(this.#agent, sent, signal, this.view))
    } catch (error) {
      this.#showError(error)
    }
    this.#isBusy = false
    if (isWhole) await this.#takeNext()
    else this.#giveBack()
  }

  #wait(text: string): void {
    this.#waiting.push(text)
    this.view.setQueued(this.#waiting.length)
  }

  async #takeNext(): Promise<void> {
    const next = this.#waiting.shift()
    this.view.setQueued(this.#waiting.length)
    if (next !== undefined) await this.#converse(next)
  }

  /** After an answer that did not come to its end nothing is sent unasked. */
  #giveBack(): void {
    if (this.#waiting.length > 0) this.view.offer(this.#waiting.join('\n'))
    this.#waiting = []
    this.view.setQueued(0)
  }

  #showError(error: unknown): void {
    const failure = asFailure(error)
    this.view.say(failure?.message ?? (error instanceof Error ? error.message : String(error)), 'bad')
  }
}
