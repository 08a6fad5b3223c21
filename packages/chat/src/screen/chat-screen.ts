/**
 * The screen of a chat: the transcript, below it the editor or a question, and the gauge at the
 * bottom.
 *
 *   › what the user said
 *     what the model answers
 *   ⠋ thinking · 3 s · Esc cancels
 *   ──────────────────────────────
 *   › editor, list or question
 *   ──────────────────────────────
 *    model  ██████····┊··▒▒  34k of 200k · 17 %  $0.42
 */

import { matchesKey, TUI } from '@mariozechner/pi-tui'
import { neutralizeText } from '@precis/core/text'
import type { SlashCommand } from '../commands/index.ts'
import type { ChatEntry, ChatView, Choice, Palette, Tone, YesNo } from '../rendering/chat-view.ts'
import { createNotice, createNoticeEntry } from '../rendering/entry.ts'
import {
  type ActivityLabel,
  renderActivity,
  renderStatus,
  type Status,
} from '../rendering/status.ts'
import { fit } from '../rendering/wrap.ts'
import { ChatEditor, Completion, cleanPaste } from './chat-editor.ts'
import { createQuestion, type Panel, Picker } from './panels.ts'
import { ScreenTerminal, suspend } from './screen-terminal.ts'
import { ScreenTranscript } from './transcript.ts'

interface ScreenEvents {
  readonly onLine: (text: string) => void
  readonly onQuit: () => void
  /** Called when the terminal is gone, or drawing failed. */
  readonly onLost: (error: Error | undefined) => void
  readonly readStatus: () => Status
  readonly listArguments: (command: SlashCommand) => readonly string[]
}

interface Activity {
  label: ActivityLabel
  readonly startedAt: number
  readonly controller: AbortController
}

const SPINNER_MS = 120
const TWICE_MS = 2000
const LAST_DRAWING_MS = 1000
// After a shorter pause, the user may still be typing and may not have seen the question yet.
const TYPING_MS = 700

export class ChatScreen implements ChatView {
  readonly palette: Palette
  readonly #events: ScreenEvents
  readonly #terminal: ScreenTerminal
  readonly #tui: TUI
  readonly #transcript
  readonly #editor: ChatEditor
  #panel: Panel | undefined
  #panels: Promise<unknown> = Promise.resolve()
  #activities: Activity[] = []
  #queued = 0
  #hint: string | undefined
  #interruptedAt = Number.NEGATIVE_INFINITY
  // The time of the last key in a text. Keys of a panel do not count.
  #typedAt = Number.NEGATIVE_INFINITY
  #spinner: NodeJS.Timeout | undefined
  #isEnding = false
  #isRestored = false
  #onLastDrawing = () => {}

  constructor(palette: Palette, workingDirectory: string, events: ScreenEvents) {
    this.palette = palette
    this.#events = events
    this.#transcript = new ScreenTranscript(palette)
    this.#terminal = new ScreenTerminal({
      onGone: () => events.onLost(undefined),
      findLine: (line) => this.#transcript.findLine(line),
    })
    this.#tui = new TUI(this.#terminal, false)
    this.#tui.addChild({
      render: (columns) => this.#render(columns),
      invalidate: () => this.#transcript.invalidate(),
    })
    this.#editor = new ChatEditor(this.#tui, palette)
    this.#editor.setAutocompleteProvider(new Completion(workingDirectory, events.listArguments))
    this.#editor.onSubmit = (text) => events.onLine(text)
    this.#tui.setFocus(this.#editor)
    this.#tui.addInputListener((data) => this.#takeKey(data))
  }

  start(): void {
    this.#tui.start()
  }

  /** Leaves the transcript on the terminal, without editor and status. */
  async stop(): Promise<void> {
    this.#isEnding = true
    await new Promise<void>((resolve) => {
      this.#onLastDrawing = resolve
      this.refresh()
      // A terminal that is gone may never be drawn on again.
      setTimeout(resolve, LAST_DRAWING_MS).unref()
    })
    this.restore()
  }

  /** Restores immediately, whatever the screen shows. For signals and failures. */
  restore(): void {
    clearInterval(this.#spinner)
    if (!this.#isRestored) this.#tui.stop()
    this.#isRestored = true
  }

  refresh(): void {
    this.#tui.requestRender()
  }

  add(entry: ChatEntry): void {
    this.#transcript.add(entry)
    this.refresh()
  }

  clear(): void {
    this.#transcript.clear()
    this.refresh()
  }

  addToHistory(text: string): void {
    this.#editor.addToHistory(text)
  }

  /** Puts a text back into the editor, unless the user is writing another one. */
  offer(text: string): void {
    if (this.#editor.getText() === '') this.#editor.setText(text)
    this.refresh()
  }

  setQueued(count: number): void {
    this.#queued = count
    this.refresh()
  }

  setActivity(label: ActivityLabel): void {
    const activity = this.#activities.at(-1)
    if (activity) activity.label = label
    this.refresh()
  }

  say(text: string, tone: Tone = 'plain'): void {
    const { accent, good, warning, bad } = this.palette
    const marks = { plain: accent('◆'), good: good('✓'), warning: warning('!'), bad: bad('✗') }
    this.add(createNotice(marks[tone], neutralizeText(text.replaceAll('\t', '  '))))
  }

  show(render: ChatEntry['render']): void {
    this.add(createNoticeEntry(render))
  }

  choose(choice: Choice): Promise<string | undefined> {
    const controller = new AbortController()
    return this.#open<string | undefined>((end) => {
      const picker = new Picker(choice, this.palette, (value) => {
        controller.abort()
        end(value)
      })
      const change = (row: Choice['rows'][number]) => {
        picker.change(row)
        this.refresh()
      }
      // The list works even if its rows stay incomplete.
      choice
        .complete?.(change, controller.signal)
        .catch((error: Error) => this.say(error.message, 'warning'))
      return picker
    })
  }

  confirm(asked: YesNo): Promise<boolean> {
    return this.#open<boolean>((end) =>
      createQuestion(asked, this.palette, () => this.#terminal.rows, end),
    )
  }

  async work<Result>(
    label: string,
    run: (signal: AbortSignal, progress: (step: string) => void) => Promise<Result>,
  ): Promise<Result> {
    const activity: Activity = {
      label,
      startedAt: performance.now(),
      controller: new AbortController(),
    }
    this.#activities.push(activity)
    this.#spin()
    try {
      return await run(activity.controller.signal, (step) => {
        activity.label = `${label}: ${step}`
        this.refresh()
      })
    } finally {
      this.#activities = this.#activities.filter((other) => other !== activity)
      this.#spin()
    }
  }

  /** Cancels what runs. False if nothing does. */
  cancel(): boolean {
    for (const { controller } of this.#activities) controller.abort()
    return this.#activities.length > 0
  }

  /** Shows one panel after the other, each instead of the editor. */
  #open<Answer>(create: (end: (answer: Answer) => void) => Panel): Promise<Answer> {
    const answered = this.#panels.then(
      () =>
        new Promise<Answer>((resolve) => {
          let isEnded = false
          const panel = create((answer) => {
            isEnded = true
            if (this.#panel !== undefined && this.#panel === panel) this.#setPanel(undefined)
            resolve(answer)
          })
          if (!isEnded) this.#setPanel(panel)
        }),
    )
    this.#panels = answered
    return answered
  }

  #setPanel(panel: Panel | undefined): void {
    this.#panel = panel
    this.#tui.setFocus(panel ?? this.#editor)
    this.refresh()
  }

  #takeKey(data: string): { consume?: boolean; data?: string } | undefined {
    if (matchesKey(data, 'ctrl+c')) {
      this.#interrupt()
      return { consume: true }
    }
    this.#hint = undefined
    if (matchesKey(data, 'ctrl+z') && process.platform !== 'win32') {
      suspend(this.#tui)
      return { consume: true }
    }
    if (this.#panel) {
      if (matchesKey(data, 'escape') || !this.#isTyping()) return undefined
      // A `y` of a word that was begun before must not answer the question.
      this.#typedAt = performance.now()
      this.#editor.handleInput(cleanPaste(data))
      return { consume: true }
    }
    if (matchesKey(data, 'ctrl+d') && this.#editor.getText() === '') {
      this.#events.onQuit()
      return { consume: true }
    }
    if (matchesKey(data, 'escape') && !this.#editor.isShowingAutocomplete() && this.cancel())
      return { consume: true }
    this.#typedAt = performance.now()
    return { data: cleanPaste(data) }
  }

  #isTyping(): boolean {
    return this.#editor.getText() !== '' && performance.now() - this.#typedAt < TYPING_MS
  }

  /** The first press cancels what runs, or clears the line. The second one quits. */
  #interrupt(): void {
    const now = performance.now()
    const isSecond = now - this.#interruptedAt < TWICE_MS
    this.#interruptedAt = now
    if (isSecond) {
      this.#events.onQuit()
      return
    }
    this.#panel?.cancel()
    if (!this.cancel()) this.#editor.setText('')
    this.#hint = 'Ctrl+C again quits'
    setTimeout(() => {
      this.#hint = undefined
      this.refresh()
    }, TWICE_MS).unref()
    this.refresh()
  }

  #spin(): void {
    clearInterval(this.#spinner)
    if (this.#activities.length > 0) this.#spinner = setInterval(() => this.refresh(), SPINNER_MS)
    this.refresh()
  }

  #render(columns: number): string[] {
    try {
      const lines = this.#transcript.render(columns)
      if (!this.#isEnding) lines.push(...this.#renderBottom(columns))
      this.#terminal.expectedLines = lines.length
      if (this.#isEnding) setImmediate(this.#onLastDrawing)
      return lines
    } catch (error) {
      this.#events.onLost(error instanceof Error ? error : new Error(String(error)))
      return []
    }
  }

  #renderBottom(columns: number): string[] {
    const activity = this.#activities.at(-1)
    const lines: string[] = []
    if (activity && !this.#panel)
      lines.push(...renderActivity(activity, this.#queued, columns, this.palette))
    lines.push(...(this.#panel ?? this.#editor).render(columns))
    if (this.#hint === undefined)
      lines.push(...renderStatus(this.#events.readStatus(), columns, this.palette))
    else lines.push(this.palette.quiet(` ${this.#hint}`))
    return lines.map((line) => fit(line, columns))
  }
}
