#!/usr/bin/env node
// What Claude Code starts every few seconds is a file of its own.
if (process.argv[2] === 'statusline' && process.argv.length === 3) {
  const { printStatusLine } = await import('../dist/agents/claude-code/print-statusline.js')
  await printStatusLine()
} else {
  // V8 compiles a regular expression at its first use, and at its second one anew for the machine.
  // For hundreds of them, the first is for nothing.
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--no-regexp-tier-up')
  await import('../dist/cli/main.js')
}
