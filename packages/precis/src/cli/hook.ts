import { statSync } from 'node:fs'
import type { Command } from 'commander'
import type { HookOptions } from '../compression/answer-hook.ts'
import { asObject, type JsonObject } from '../files/lines.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface HookFlags {
  readonly plugin?: boolean
  readonly verbose?: boolean
}

/** Below the shortest timeout of the installed hooks, with time to start. */
export const MOST_MS = 25_000

export function defineHook(command: Command, terminal: Terminal): void {
  command
    .argument('<agent>', 'the agent that runs the hook')
    .description(
      "Agents run it before they compact a session, and it keeps the session in the archive. It reads the agent's message on standard input. On any error it exits silently with 0, and the agent continues.",
    )
    .option('--plugin', 'for plugins: do nothing if "precis install" has added the same hook')
    .option('-v, --verbose', 'report on standard error why nothing was done')
    // A later version may pass more words. A usage error would stop the compaction of Claude Code.
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', HOOK_HELP)
    .action(async (agent: string, { plugin = false, verbose }: HookFlags) => {
      const { neutralizeText } = await import('../terminal/render.ts')
      const note = (text: string) => terminal.note(neutralizeText(`precis: ${text}`))
      await runHook(agent, { isPlugin: plugin, ...(verbose && { note }) })
    })
}

/**
 * Answers the hook of an agent. Agents wait for it, some of them before every request. So it loads
 * almost nothing unless it has to store the session.
 */
export async function runHook(
  agent: string,
  { isPlugin, note }: Pick<HookOptions, 'isPlugin'> & Partial<HookOptions>,
): Promise<void> {
  const deadline = setTimeout(() => process.exit(0), MOST_MS).unref()
  try {
    const input = await readInput()
    if (!note && namesNoFile(input)) return
    const { answerHook } = await import('../compression/answer-hook.ts')
    const answer = await answerHook(agent, input, { isPlugin, note: note ?? (() => {}) })
    // Prints nothing else: some agents read every line as an answer.
    if (answer) process.stdout.write(typeof answer === 'string' ? answer : JSON.stringify(answer))
  } catch (error) {
    note?.(error instanceof Error ? error.message : String(error))
  } finally {
    clearTimeout(deadline)
  }
}

async function readInput(): Promise<JsonObject> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  const input = asObject(JSON.parse(Buffer.concat(chunks).toString()))
  if (!input) throw new TypeError('Reading the message of the agent: it is not a JSON object.')
  return input
}

/** Whether the agent names a session that does not exist, as before the first request. */
function namesNoFile({ transcript_path: path }: JsonObject): boolean {
  return typeof path === 'string' && !statSync(path, { throwIfNoEntry: false })?.size
}

const HOOK_HELP = `
Agents run it; "precis install" tells them to. To see what it would do by hand:
  echo '{"transcript_path":"session.jsonl"}' | precis hook claude-code --verbose

Exit codes: 0 always, but for a wrong command line.
`
