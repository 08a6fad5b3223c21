import { exitCodes } from '../../cli/exit-codes.ts'
import type { ChatAgent } from '../chat-agent.ts'
import { ChatScreen } from './chat-screen.ts'
import { type ChatSetting, LiveChat } from './live-chat.ts'
import type { Palette } from './palette.ts'

const HANGUP_EXIT_CODE = 129
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A chat on a screen, until the person leaves or the terminal goes away. Gives the agent that was open last, closed.
 * Rejects with what broke the screen. At every end the terminal is as it was.
 */
export async function runChat(setting: ChatSetting, palette: Palette): Promise<ChatAgent> {
  const ended = createEnd()
  const screen = new ChatScreen(palette, setting.workingDirectory, {
    onLine: (text) => void chat.take(text),
    onQuit: () => quit(),
    onLost: (error) => {
      isLost = error === undefined
      ended.end(error)
    },
    readStatus: () => ({ model: chat.agent.model, contents: chat.measure(), dollars: chat.agent.spent.dollars }),
    listArguments: (command) => command.listArguments?.(chat.agent) ?? [],
  })
  let isLost = false
  let isQuitting = false
  const quit = () => {
    // Whoever asks again while something does not let go is in earnest.
    if (isQuitting) process.exit(exitCodes.interrupted)
    isQuitting = true
    ended.end()
  }
  const chat = new LiveChat(setting, screen, quit)
  const restore = () => screen.restore()
  // Before the handlers that end the process: what they print belongs on a terminal in order.
  for (const signal of SIGNALS) process.prependListener(signal, restore)
  process.on('exit', restore)
  process.on('uncaughtException', ended.end)
  try {
    screen.start()
    chat.begin()
    await ended.reached
    screen.cancel()
    await chat.agent.close()
    if (isLost) process.exit(HANGUP_EXIT_CODE)
    await screen.stop()
    return chat.agent
  } finally {
    restore()
    screen.cancel()
    for (const signal of SIGNALS) process.off(signal, restore)
    process.off('exit', restore)
    process.off('uncaughtException', ended.end)
  }
}

/** Of the first reason alone. */
function createEnd(): { readonly reached: Promise<void>; readonly end: (error?: Error) => void } {
  let end: (error?: Error) => void = () => {}
  const reached = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve())
  })
  return { reached, end }
}
