/** A chat with a fake agent, on the terminal in which it starts. */
import pc from 'picocolors'
import { createTerminal } from '../../../precis/src/terminal/terminal.ts'
import { createTestPalette } from '../ports.suite.ts'
import { createFakeAgent } from './fake-agent.suite.ts'
import { runScreen } from './live-chat.ts'

const stepMs = Number(process.env.STEP_MS ?? 20)
const open = (resume?: string) =>
  createFakeAgent({
    stepMs,
    ...(resume !== undefined && { resume }),
  })
const setting = {
  agent: open(process.env.RESUME),
  isDemo: false,
  workingDirectory: process.cwd(),
  open: async (session: string) => {
    if (session === 'missing') throw new Error('Reading "missing": no such file.')
    return open(session)
  },
}
const terminal = createTerminal()
process.on('SIGTERM', () => {
  terminal.note('precis: interrupted.')
  process.exit(143)
})
process.on('SIGHUP', () => process.exit(129))
try {
  await runScreen(
    setting,
    createTestPalette(process.env.NO_COLOR ? pc.createColors(false) : pc.createColors(true)),
  )
  console.log('left')
} catch (error) {
  console.log(`broken: ${String(error)}`)
  process.exitCode = 1
}
