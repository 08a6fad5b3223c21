/** What commands show and ask, on a screen or in a pipe. */
import type { ListChoice } from '../../terminal/picker.ts'
import type { ConfirmQuestion } from '../chat-agent.ts'
import type { Entry } from './entry.ts'
import type { Palette } from './palette.ts'

export type Tone = 'plain' | 'good' | 'warning' | 'bad'

export interface ChatView {
  readonly palette: Palette
  /** One thing said, wrapped; the text may be anything. */
  say(text: string, tone?: Tone): void
  /** What renders itself for a width; it has to be safe already. */
  show(render: Entry['render']): void
  /** The value of the row that was picked; undefined when none was. */
  choose(choice: Choice): Promise<string | undefined>
  /** Nobody there to ask: the default. */
  confirm(question: YesNo, signal?: AbortSignal): Promise<boolean>
  /** Runs with a spinner; the person can end it, which aborts the signal. */
  work<Result>(
    label: string,
    run: (signal: AbortSignal, progress: (step: string) => void) => Promise<Result>,
  ): Promise<Result>
}

export interface Choice extends ListChoice {
  /** Told in a pipe, where nothing can be picked. */
  readonly instead: string
}

export interface YesNo extends Pick<ConfirmQuestion, 'what' | 'detail'> {
  readonly title: string
  readonly default: boolean
  /** The detail is sentences; else it is lines in which spaces count. */
  readonly isProse?: boolean
}
