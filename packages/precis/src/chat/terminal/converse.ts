/** One request of the person and all that comes of it, as entries of the transcript. */

import type { Span } from '../../terminal/spans.ts'
import { neutralizeText, renderPreview } from '../../terminal/terminal-text.ts'
import type { ChatAgent, ChatEvent } from '../chat-agent.ts'
import { type ActivityLabel, renderWait } from './activity.ts'
import { renderCompressionLine } from './compression-report.ts'
import {
  type AnswerEntry,
  createAnswerEntry,
  createNotice,
  createNoticeEntry,
  createReasoningEntry,
  createToolEntry,
  type Entry,
  type ToolEntry,
} from './entry.ts'
import type { Palette } from './palette.ts'
import { toToolOutput } from './tool-run.ts'

export interface Stage {
  readonly palette: Palette
  add(entry: Entry): void
  /** What the model is doing. */
  setActivity(label: ActivityLabel): void
  /** Something on the screen has changed. */
  refresh(): void
}

/** True when the model came to its end. */
export async function converse(agent: ChatAgent, text: string, signal: AbortSignal, stage: Stage): Promise<boolean> {
  const answer = createAnswer(stage)
  let isWhole = true
  try {
    for await (const event of agent.send(text, { signal })) {
      if (event.type === 'error' || (event.type === 'done' && event.isInterrupted)) isWhole = false
      answer.take(event)
      stage.refresh()
    }
  } finally {
    answer.end()
    stage.refresh()
  }
  return isWhole
}

interface Answer {
  take(event: ChatEvent): void
  end(): void
}

function createAnswer(stage: Stage): Answer {
  const { palette } = stage
  const running = new Map<string, ToolEntry>()
  let open: AnswerEntry | undefined
  const write = (kind: 'answer' | 'reasoning', delta: string) => {
    if (open?.kind !== kind) {
      open = kind === 'answer' ? createAnswerEntry() : createReasoningEntry()
      stage.add(open)
    }
    open.append(delta)
  }
  const say = (mark: string, spans: readonly Span[]) => stage.add(createNotice(mark, spans))

  const take = (event: ChatEvent) => {
    switch (event.type) {
      case 'text':
        stage.setActivity('answering')
        return write('answer', event.delta)
      case 'reasoning':
        stage.setActivity('thinking')
        return write('reasoning', event.delta)
      case 'tool-call': {
        open = undefined
        const entry = createToolEntry({ name: event.name, input: event.input })
        running.set(event.callId, entry)
        stage.setActivity(`running ${renderPreview(event.name, 24)}`)
        return stage.add(entry)
      }
      case 'tool-result':
        running.get(event.callId)?.change({ result: toToolOutput(event.output, event.isError) })
        running.delete(event.callId)
        return stage.setActivity('thinking')
      case 'compression': {
        open = undefined
        const { compression, pausedSummarizer } = event
        stage.setActivity('thinking')
        return stage.add(
          createNoticeEntry((columns) => renderCompressionLine(compression, columns, palette, pausedSummarizer)),
        )
      }
      case 'retry':
        // What it had said so far comes again.
        open?.clear()
        open = undefined
        return stage.setActivity(countDown(event))
      case 'error':
        open = undefined
        return say(palette.bad('✗'), [
          { text: neutralizeText(event.message), style: palette.bad },
          ...(event.hint === undefined ? [] : [{ text: `\n${neutralizeText(event.hint)}` }]),
        ])
      case 'done':
        if (event.isInterrupted) {
          say(palette.quiet('◌'), [{ text: 'stopped; what was said stays.', style: palette.quiet }])
        }
        return
      case 'usage':
        return
    }
  }
  const end = () => {
    for (const entry of running.values()) entry.change({ isAbandoned: true })
  }
  return { take, end }
}

function countDown({ message, delayMs, attempt, attempts }: Extract<ChatEvent, { type: 'retry' }>): ActivityLabel {
  const at = performance.now() + delayMs
  const why = `attempt ${attempt} of ${attempts}: ${renderPreview(message, 120)}`
  return () => {
    const leftMs = at - performance.now()
    return leftMs > 0 ? `trying again in ${renderWait(leftMs)}, ${why}` : `trying again, ${why}`
  }
}
