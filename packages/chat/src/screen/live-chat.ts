/**
 * A chat on a screen. Lines of the user become requests and commands. One request runs at a time,
 * and the others wait.
 */

import { neutralizeText } from '@precis/core/text'
import { type Chat, parseSlashLine, type SlashCommand } from '../commands/index.ts'
import type { ChatAgent, ChatEvent } from '../contract/chat-agent.ts'
import type { Palette } from '../rendering/chat-view.ts'
import { renderCompressionLine } from '../rendering/compression-report.ts'
import { createContentsMeasure, type WindowContents } from '../rendering/context-contents.ts'
import {
  AnswerEntry,
  createNotice,
  createRequestEntry,
  ReasoningEntry,
  ToolEntry,
  toToolOutput,
} from '../rendering/entry.ts'
import { type ActivityLabel, renderShort, renderWait } from '../rendering/status.ts'
import { ChatScreen } from './chat-screen.ts'
import { findRequest, listRequests, showBeginning } from './show-beginning.ts'

export interface ChatSetting {
  readonly agent: ChatAgent
  readonly isDemo: boolean
  readonly workingDirectory: string
  /** Opens another chat or session with the same options. */
  readonly open: (session: string) => Promise<ChatAgent>
}

class LiveChat implements Chat {
  readonly view: ChatScreen
  readonly workingDirectory: string
  readonly quit: () => void
  readonly #setting: ChatSetting
  readonly #measure = createContentsMeasure()
  agent: ChatAgent
  #isBusy = false
  #waiting: string[] = []
  #stopListening: (() => void) | undefined

  constructor(setting: ChatSetting, view: ChatScreen, quit: () => void) {
    this.#setting = setting
    this.agent = setting.agent
    this.view = view
    this.workingDirectory = setting.workingDirectory
    this.quit = quit
  }

  readonly measure = (): WindowContents => this.#measure(this.agent)

  /** Shows the text before the first request. */
  begin(): void {
    const { context } = this.agent
    showBeginning(this.agent, this.#setting, this.view)
    for (const request of listRequests(context.messages)) this.view.addToHistory(request)
    this.#stopListening?.()
    this.#stopListening = context.on('compression-started', ({ tokens, isAhead }) => {
      if (!isAhead) this.view.setActivity(`compressing ${renderShort(tokens)} tokens`)
    })
  }

  readonly reopen = async (session: string): Promise<void> => {
    const next = await this.view.work('opening', () => this.#setting.open(session))
    await this.agent.close()
    this.agent = next
    this.view.clear()
    this.begin()
  }

  readonly resend = async (): Promise<void> => {
    const again = findRequest(this.agent.context.messages)
    if (again) await this.#converse(again.shown, again.sent)
    else this.view.say('nothing was asked yet.')
  }

  /** Handles a line as it was typed. Never rejects. */
  async take(text: string): Promise<void> {
    if (text.trim() === '') return
    this.view.addToHistory(text)
    const slash = parseSlashLine(text)
    if (slash?.type === 'unknown') this.view.say(slash.explanation, 'warning')
    else if (slash) await this.#run(slash.command, slash.argument)
    else if (!this.#isBusy) await this.#converse(text)
    else this.view.setQueued(this.#waiting.push(text))
  }

  async #run(command: SlashCommand, argument: string): Promise<void> {
    const run = () => command.run(argument, this).catch((error: unknown) => this.#showError(error))
    if (command.runsWhileAnswering) return await run()
    if (this.#isBusy) {
      this.view.say(`/${command.name} has to wait for what runs; Esc cancels it.`, 'warning')
      return
    }
    this.#isBusy = true
    await run()
    this.#isBusy = false
    await this.#takeNext()
  }

  async #converse(text: string, sent = text): Promise<void> {
    this.#isBusy = true
    this.view.add(createRequestEntry(text))
    let isWhole = false
    try {
      isWhole = await this.view.work('thinking', (signal) =>
        converse(this.agent, sent, signal, this.view),
      )
    } catch (error) {
      this.#showError(error)
    }
    this.#isBusy = false
    if (isWhole) return await this.#takeNext()
    // After an incomplete answer, waiting lines are not sent automatically.
    if (this.#waiting.length > 0) this.view.offer(this.#waiting.join('\n'))
    this.#waiting = []
    this.view.setQueued(0)
  }

  async #takeNext(): Promise<void> {
    const next = this.#waiting.shift()
    this.view.setQueued(this.#waiting.length)
    if (next !== undefined) await this.#converse(next)
  }

  #showError(error: unknown): void {
    this.view.say(error instanceof Error ? error.message : String(error), 'bad')
  }
}

/** True if the model finished. The results of the request are entries of the transcript. */
async function converse(
  agent: ChatAgent,
  text: string,
  signal: AbortSignal,
  screen: ChatScreen,
): Promise<boolean> {
  const answer = new LiveAnswer(screen)
  let isWhole = true
  try {
    for await (const event of agent.send(text, { signal })) {
      if (event.type === 'error' || (event.type === 'done' && event.isInterrupted)) isWhole = false
      answer.take(event)
      screen.refresh()
    }
  } finally {
    answer.end()
    screen.refresh()
  }
  return isWhole
}

class LiveAnswer {
  readonly #screen: ChatScreen
  readonly #running = new Map<string, ToolEntry>()
  /** What the present request to the model has streamed. */
  #streamed: (AnswerEntry | ReasoningEntry | ToolEntry)[] = []
  #open: AnswerEntry | ReasoningEntry | undefined

  constructor(screen: ChatScreen) {
    this.#screen = screen
  }

  take(event: ChatEvent): void {
    const screen = this.#screen
    const { bad, quiet, preview } = screen.palette
    switch (event.type) {
      case 'text':
      case 'reasoning':
        screen.setActivity(event.type === 'text' ? 'answering' : 'thinking')
        this.#write(event)
        break
      case 'tool-call': {
        this.#open = undefined
        const entry = new ToolEntry({ name: event.name, input: event.input })
        this.#running.set(event.callId, entry)
        screen.setActivity(`running ${preview(event.name, 24)}`)
        this.#add(entry)
        break
      }
      case 'tool-result':
        this.#running
          .get(event.callId)
          ?.change({ result: toToolOutput(event.output, event.isError) })
        this.#running.delete(event.callId)
        screen.setActivity('thinking')
        break
      case 'compression': {
        this.#open = undefined
        const { compression, pausedSummarizer } = event
        screen.setActivity('thinking')
        screen.show((columns, palette) =>
          renderCompressionLine(compression, columns, palette, pausedSummarizer),
        )
        break
      }
      case 'retry':
        // The answer is streamed again from its start.
        for (const entry of this.#streamed.splice(0)) entry.clear()
        this.#running.clear()
        this.#open = undefined
        screen.setActivity(countDown(event, screen.palette))
        break
      case 'error': {
        this.#open = undefined
        const hint = event.hint === undefined ? '' : `\n${neutralizeText(event.hint)}`
        screen.add(createNotice(bad('✗'), bad(neutralizeText(event.message)) + hint))
        break
      }
      case 'usage':
        this.#streamed = []
        break
      case 'done':
        if (event.isInterrupted)
          screen.add(createNotice(quiet('◌'), quiet('stopped; what was said stays.')))
    }
  }

  #write({ type, delta }: Extract<ChatEvent, { type: 'text' | 'reasoning' }>): void {
    const kind = type === 'text' ? 'answer' : 'reasoning'
    if (this.#open?.kind !== kind) {
      this.#open = kind === 'answer' ? new AnswerEntry() : new ReasoningEntry()
      this.#add(this.#open)
    }
    this.#open.append(delta)
  }

  #add(entry: AnswerEntry | ReasoningEntry | ToolEntry): void {
    this.#streamed.push(entry)
    this.#screen.add(entry)
  }

  end(): void {
    for (const entry of this.#running.values()) entry.change({ isAbandoned: true })
  }
}

function countDown(
  { message, delayMs, attempt, attempts }: Extract<ChatEvent, { type: 'retry' }>,
  { preview }: Palette,
): ActivityLabel {
  const at = performance.now() + delayMs
  const why = `attempt ${attempt} of ${attempts}: ${preview(message, 120)}`
  return () => {
    const leftMs = at - performance.now()
    return leftMs > 0 ? `trying again in ${renderWait(leftMs)}, ${why}` : `trying again, ${why}`
  }
}

const HANGUP_EXIT_CODE = 129
const INTERRUPTED_EXIT_CODE = 130
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a chat on a screen until the user leaves or the terminal is gone. Returns the last open
 * agent, closed. Rejects with the error that broke the screen. In every case, the terminal is as it
 * was before.
 */
export async function runScreen(setting: ChatSetting, palette: Palette): Promise<ChatAgent> {
  let end: (error?: Error) => void = () => {}
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve())
  })
  const screen = new ChatScreen(palette, setting.workingDirectory, {
    onLine: (text) => void chat.take(text),
    onQuit: () => quit(),
    onLost: (error) => {
      isLost = error === undefined
      end(error)
    },
    readStatus: () => ({
      model: chat.agent.model,
      contents: chat.measure(),
      dollars: chat.agent.spent.dollars,
    }),
    listArguments: (command) => command.listArguments?.(chat.agent) ?? [],
  })
  let isLost = false
  let isQuitting = false
  const quit = () => {
    // A second request to quit does not wait for work that hangs.
    if (isQuitting) process.exit(INTERRUPTED_EXIT_CODE)
    isQuitting = true
    end()
  }
  const chat = new LiveChat(setting, screen, quit)
  const restore = () => screen.restore()
  // Runs before the handlers that end the process, because they print to the terminal.
  for (const signal of SIGNALS) process.prependListener(signal, restore)
  process.on('exit', restore)
  process.on('uncaughtException', end)
  try {
    screen.start()
    chat.begin()
    await ended
    screen.cancel()
    await chat.agent.close()
    if (isLost) process.exit(HANGUP_EXIT_CODE)
    await screen.stop()
    return chat.agent
  } finally {
    restore()
    screen.cancel()
    for (const signal of SIGNALS) process.off(signal, restore)
    process.off('exit', restore)
    process.off('uncaughtException', end)
  }
}
