import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Whether somebody is there to ask: keys come in, and what is drawn is seen. Standard output may go to a file. */
export function isInteractive({ json }: { readonly json?: boolean | undefined }): boolean {
  const { CI, TERM } = process.env
  const isAutomatic = CI !== undefined && !['', '0', 'false'].includes(CI)
  return process.stdin.isTTY && process.stderr.isTTY && !json && !isAutomatic && TERM !== 'dumb'
}

/** One line of the person, asked for on standard error; empty when the input ended. */
export async function askLine(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // Of raw keys it would be none: the interface takes it for a line that ended.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  lines.setPrompt(question)
  lines.prompt()
  const [line] = await Promise.race([once(lines, 'line'), once(lines, 'close')])
  lines.close()
  return typeof line === 'string' ? line : ''
}
