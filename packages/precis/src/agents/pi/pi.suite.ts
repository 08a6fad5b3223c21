/** The extension of pi, as pi loads it. */
import type { StartCommand } from '../shared/agent.ts'
import { extendPi, type PiEvents, type PiTool } from './extension.ts'

export interface LoadedPi {
  readonly compact: PiEvents['session_before_compact']
  readonly leaveBranch: PiEvents['session_before_tree']
  readonly tool: PiTool
}

export function loadPi(command: StartCommand | undefined): LoadedPi {
  const tools: PiTool[] = []
  const events: { -readonly [Name in keyof PiEvents]?: PiEvents[Name] } = {}
  extendPi(
    {
      registerTool: (tool) => tools.push(tool),
      on(event, listener) {
        events[event] = listener
      },
    },
    command,
  )
  const { session_before_compact: compact, session_before_tree: leaveBranch } = events
  const [tool] = tools
  if (!compact || !leaveBranch || !tool) throw new Error('The extension registered nothing.')
  return { compact, leaveBranch, tool }
}
