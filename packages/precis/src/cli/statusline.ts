import type { Command } from 'commander'

export function defineStatusline(command: Command): void {
  command
    .description(
      "Prints one line for the status line of Claude Code: how full the window is, how long the prompt cache lives, and what compacting costs now and after the cache expires. It reads Claude Code's message on standard input and the end of the session. It never fails, and leaves out anything unknown.",
    )
    .addHelpText('after', STATUSLINE_HELP)
    .action(async () => {
      const { printStatusLine } = await import('../agents/claude-code/print-statusline.ts')
      await printStatusLine()
    })
}

const STATUSLINE_HELP = `
"precis install claude-code" adds it to the settings of Claude Code if there is no status line yet. To combine it with one of your own, call it from that one's script with the same input:
  input=$(cat); echo "$(my-status-line <<<"$input") $(precis statusline <<<"$input")"

COLUMNS is the most that it prints, and NO_COLOR takes the colors away.

Exit codes: 0 always.
`
