/** The ports that `precis chat` passes in, for tests. */
import { createChatPorts, createTerminalPort } from '../../precis/src/cli/chat-ports.ts'
import type { Configuration } from '../../precis/src/configuration/configuration.ts'
import { systemClock } from '../../precis/src/language-models/retry.ts'
import { createTerminal } from '../../precis/src/terminal/terminal.ts'
import type { ChatPorts, Clock, Colors, Environment } from './contract/ports.ts'
import { createPalette, type Palette } from './rendering/chat-view.ts'

export interface TestHost {
  readonly environment?: Environment
  readonly chatsFolder?: string
  readonly answersFolder?: string
  readonly wait?: Clock['wait']
}

export function createTestPorts(
  configuration: Omit<Configuration, 'files' | 'notices'> = { summarizer: { name: 'digest' } },
  { wait = systemClock.wait, ...host }: TestHost = {},
): ChatPorts {
  const clock = { ...systemClock, wait }
  return createChatPorts(
    createTerminal(),
    { ...configuration, files: [], notices: [] },
    { ...host, clock },
  )
}

export function createTestPalette(colors: Colors): Palette {
  return createPalette({
    ...createTerminalPort({ ...createTerminal(), colors: colors as never }),
    colors,
  })
}
