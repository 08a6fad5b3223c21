#!/usr/bin/env node
// What Claude Code starts every few seconds is a file of its own.
if (process.argv[2] === 'statusline' && process.argv.length === 3) {
  const { printStatusLine } = await import('../dist/agents/claude-code/print-statusline.js')
  await printStatusLine()
} else {
  await import('../dist/cli/main.js')
}
