import type { ToolModelMessage, ToolResultPart } from 'ai'
import type { ChatEvent } from '../chat-agent.ts'
import { createToolResult, INTERRUPTED } from '../history/repair-end.ts'
import type { ToolSurroundings } from '../tools/tool.ts'
import { ToolError } from '../tools/tool-error.ts'
import type { CheckedTool } from '../tools/tools.ts'
import type { CalledInput } from './collect-answer.ts'

export interface CallSurroundings extends ToolSurroundings {
  readonly tools: readonly CheckedTool[]
  readonly emit: (event: ChatEvent) => void
  /** Takes what must not be in a history out of a text. */
  readonly redact: (text: string) => string
  /** Told each result before the next call begins, so that none is lost. */
  readonly onResult: (callId: string, output: string, isError: boolean) => void
}

/** One after the other, so that questions come one at a time. Every call is answered, also when aborted. */
export async function runCalls(
  calls: readonly CalledInput[],
  surroundings: CallSurroundings,
): Promise<ToolModelMessage> {
  const content: ToolResultPart[] = []
  for (const call of calls) {
    const { output, isError } = await runCall(call, surroundings)
    content.push(createToolResult(call, output, isError))
    surroundings.onResult(call.callId, output, isError)
    surroundings.emit({ type: 'tool-result', callId: call.callId, name: call.name, output, isError })
  }
  return { role: 'tool', content }
}

async function runCall(
  { name, input, fault }: CalledInput,
  surroundings: CallSurroundings,
): Promise<{ output: string; isError: boolean }> {
  const { signal, tools, redact } = surroundings
  const tool = tools.find((known) => known.name === name)
  if (signal.aborted) return { output: INTERRUPTED, isError: true }
  try {
    if (fault !== undefined) throw new ToolError(`This call cannot be made: ${fault}`)
    if (!tool)
      throw new ToolError(`There is no tool "${name}". Use one of ${tools.map((each) => each.name).join(', ')}.`)
    const output = await untilAborted(tool.run(input, surroundings), signal)
    return { output: limit(redact(output), surroundings), isError: false }
  } catch (error) {
    if (signal.aborted) return { output: INTERRUPTED, isError: true }
    const said = error instanceof ToolError ? error.message : `The tool failed: ${String(error)}`
    return { output: limit(redact(said), surroundings), isError: true }
  }
}

// Room for notes around an output that is as long as it may be.
const NOTE_CHARACTERS = 500

function limit(output: string, { maxOutputCharacters }: ToolSurroundings): string {
  const most = maxOutputCharacters + NOTE_CHARACTERS
  if (output.length <= most) return output === '' ? '(no output)' : output
  return `${output.slice(0, most)}\n[cut off: ${output.length - most} more characters]`
}

/** Rejects as soon as aborted. A tool that does not notice goes on alone, and its result is dropped. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
