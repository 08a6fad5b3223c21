/** Helpers that tests of the chat share. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openChat } from './agent/open-chat.ts'
import type { ChatAgent, ChatEvent, ChatOptions } from './contract/chat-agent.ts'
import { createTestPorts, type TestHost } from './ports.suite.ts'

export interface TestOptions extends Partial<ChatOptions> {
  readonly configuration?: Parameters<typeof createTestPorts>[0]
  readonly host?: TestHost
}

export interface ChatFolders {
  readonly root: string
  readonly project: string
  readonly chats: string
  open(options?: TestOptions): Promise<ChatAgent>
  remove(): void
}

/** A project of a few files, and a folder for its chats. */
export function createFolders(files: Readonly<Record<string, string>> = PROJECT): ChatFolders {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'precis-chat-')))
  const project = join(root, 'project')
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), content)
  }
  const chats = join(root, 'chats')
  return {
    root,
    project,
    chats,
    open: ({ configuration, host, ...options } = {}) =>
      openChat({
        isDemo: true,
        workingDirectory: project,
        ports: createTestPorts(
          configuration,
          host ?? {
            environment: {},
            chatsFolder: chats,
            wait: async () => undefined,
            answersFolder: join(root, 'answers'),
          },
        ),
        ...options,
      }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

const PROJECT = {
  'README.md': `# Harbour\n\nThe service of the harbour office.\n\n${'It keeps a record of every ship, and of every crane that unloads one.\n'.repeat(40)}`,
  'package.json': '{ "name": "harbour", "version": "1.0.0" }\n',
  'src/server.ts':
    'import { createServer } from "node:http"\n\nexport const server = createServer()\n',
  'src/ships.ts': 'export const ships = ["Aurora", "Belle"]\n',
}

/** Everything that one message led to. */
export async function ask(
  agent: ChatAgent,
  text: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of agent.send(text, { signal })) events.push(event)
  return events
}

export function readAnswer(events: readonly ChatEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('')
}

export function ofType<Type extends ChatEvent['type']>(
  events: readonly ChatEvent[],
  type: Type,
): Extract<ChatEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<ChatEvent, { type: Type }> => event.type === type)
}
