/** The archive of the command `precis`, which is next to the module if the user installed it. */
import { neutralizeLine } from '@precis/core/text'
import type { Mod } from './mod.ts'

const PROGRAM = 'precis'
const KEEP_MS = 20_000
const START_MS = 5_000

/** Whether the agent finds the command. */
export async function isInstalled($: Mod): Promise<boolean> {
  try {
    await $.process.run([PROGRAM, '--version'], { stdin: '', timeoutMs: START_MS })
    return true
  } catch (error) {
    return !isMissing(error)
  }
}

/**
 * Puts the session into the archive: the agent runs no PreCompact hook of its settings if a mod
 * answers. Without the command, the session file of the agent still has everything.
 */
export async function keepOriginal($: Mod): Promise<void> {
  const session = await $.session.id()
  try {
    const { exitCode, stderr } = await $.process.run(
      [PROGRAM, 'hook', 'claude-code', '--verbose'],
      {
        stdin: JSON.stringify({ hook_event_name: 'PreCompact', session_id: session }),
        timeoutMs: KEEP_MS,
      },
    )
    // It reports there what it could not keep.
    const [problem = ''] = stderr.trim().split('\n', 1)
    if (problem !== '') $.ui.log(`Archive: ${neutralizeLine(problem)}`)
    else if (exitCode !== 0) $.ui.log(`Archive: it did not keep this session (exit ${exitCode}).`)
  } catch (error) {
    if (!isMissing(error))
      $.ui.log(`Archive: it did not keep this session (${neutralizeLine(String(error))}).`)
  }
}

/** Whether a program was not found. */
export const isMissing = (error: unknown): boolean => String(error).includes('ENOENT')
