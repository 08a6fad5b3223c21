import { createContext } from '@precis/core'
import type { ModelMessage, ToolSet } from 'ai'
import { findUserFolders } from '../configuration/user-folders.ts'
import { systemClock } from '../summarizers/clock.ts'
import { providers } from '../summarizers/providers.ts'
import type { Environment } from '../summarizers/read-key.ts'
import type { ChatAgent, ChatOptions } from './chat-agent.ts'
import { openSettings } from './chat-settings.ts'
import { chooseModel } from './choose-model.ts'
import { createAgent, createSpending } from './create-agent.ts'
import { HISTORY_VERSION } from './history/history-entry.ts'
import { createJournal, type Journal } from './history/journal.ts'
import { findChatsFolder } from './history/list-chats.ts'
import { repairEnd } from './history/repair-end.ts'
import { type ConnectedModel, connectModel, findWindow, type ModelSettings } from './models/connect-model.ts'
import { createRecordedContext } from './recorded-context.ts'
import { beginChat, type ChatBeginning } from './resume-chat.ts'
import { createSystemPrompt } from './system-prompt.ts'
import { recall } from './tools/recall.ts'
import { createToolSet, describeTool } from './tools/tool-set.ts'
import { createTools } from './tools/tools.ts'
import { openWorkspace } from './tools/workspace.ts'

/**
 * Throws `ConfigurationError` for a model, key, strategy or summarizer that cannot be worked with, and `SessionError` for a
 * chat or session that cannot be gone on with. Sends nothing.
 */
export async function openChat(options: ChatOptions): Promise<ChatAgent> {
  const { configuration, workingDirectory, isDemo, host = {} } = options
  const environment = host.environment ?? process.env
  const chatsFolder = host.chatsFolder ?? findChatsFolder()
  const wait = host.wait ?? systemClock.wait
  const spending = createSpending()
  const chatSettings = await openSettings(options, (usage, name) => spending.addSummary(usage, name))
  const unresolved: ModelSettings = { configuration, environment, isDemo, first: undefined, wait }
  // Without a model there is no need to look any further.
  if (options.resume === undefined) chooseModel(options, undefined, unresolved)
  const beginning = await beginChat({ resume: options.resume, isDemo, workingDirectory, chatsFolder })
  try {
    const name = chooseModel(options, beginning.model, unresolved)
    const windowTokens = options.windowTokens ?? (beginning.model === name ? beginning.windowTokens : undefined)
    const settings: ModelSettings = { ...unresolved, first: { model: name, windowTokens } }
    const connected = connectModel(name, settings)
    const tools = createTools(options)
    let toolSet: Promise<ToolSet> | undefined
    const system = createSystemPrompt(workingDirectory, tools)
    const failures: Error[] = beginning.fileError ? [beginning.fileError] : []
    const { journal, repairedCalls } = openJournal(beginning, options, connected, failures)
    const notices = await chatSettings.restore(journal.history.settings)
    const context = createRecordedContext({
      journal,
      model: name,
      windowTokens: connected.windowTokens,
      findWindow: (model) => findWindow(model, settings),
      create: (messages, model, window) =>
        createContext<ModelMessage>({
          model,
          format: 'ai-sdk',
          messages,
          system,
          strategy: chatSettings.current.strategy,
          summarizer: chatSettings.current.summarizer,
          tools: tools.map(describeTool),
          pins: journal.history.pins,
          recall: { tool: recall.name },
          ...(window !== undefined && { windowTokens: window }),
          ...(chatSettings.current.threshold !== undefined && { threshold: chatSettings.current.threshold }),
          ...(chatSettings.current.keep && { keep: chatSettings.current.keep }),
        }),
    })
    const keyFiles = [configuration.chat?.keyFile, configuration.summarizer.keyFile]
    const protectedPaths = [chatsFolder, findUserFolders().config, ...keyFiles].filter((path) => path !== undefined)
    return createAgent({
      context,
      journal,
      connected,
      settings,
      spending,
      chatSettings,
      notices,
      failures,
      tools,
      toolSet: () => {
        toolSet ??= createToolSet(tools)
        return toolSet
      },
      system,
      workspace: openWorkspace(workingDirectory, protectedPaths),
      confirm: options.confirm,
      environment: withoutKeys(environment),
      clock: { ...systemClock, wait },
      resumed: beginning.resumed && { ...beginning.resumed, repairedCalls, messages: context.messages.length },
    })
  } catch (error) {
    await beginning.file?.close()
    throw error
  } finally {
    beginning.closeSource()
  }
}

// As arguments of one call; more of them would not fit on the stack.
const MESSAGES_AT_ONCE = 1000

/** The header goes before the first entry; what makes the end of an old history valid, behind its last one. */
function openJournal(
  beginning: ChatBeginning,
  { workingDirectory, isDemo }: ChatOptions,
  { name: model, windowTokens, protocol }: ConnectedModel,
  failures: Error[],
): { journal: Journal; repairedCalls: number } {
  const { id, history, file, isStored, from } = beginning
  const window = windowTokens === undefined ? {} : { windowTokens }
  const journal = createJournal({
    history,
    file,
    header: isStored
      ? undefined
      : {
          type: 'chat',
          version: HISTORY_VERSION,
          id,
          createdAt: new Date().toISOString(),
          workingDirectory,
          model,
          ...window,
          isDemo,
          ...(from && { from }),
        },
    onFailure: (error) => failures.push(error),
  })
  const record = (messages: readonly ModelMessage[]) => {
    for (let start = 0; start < messages.length; start += MESSAGES_AT_ONCE) {
      const some = messages.slice(start, start + MESSAGES_AT_ONCE)
      journal.record(...some.map((message) => ({ type: 'message' as const, message })))
    }
  }
  record(beginning.messages(protocol))
  const { messages, repairedCalls } = repairEnd(history)
  record(messages)
  const isSame = model === beginning.model && windowTokens === beginning.windowTokens
  if (isStored && !isSame) journal.record({ type: 'model', model, ...window })
  return { journal, repairedCalls }
}

/** What commands of the model may know of the environment. */
function withoutKeys(environment: Environment): Environment {
  const keys = new Set(Object.values(providers).map(({ keyVariable }) => keyVariable))
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !keys.has(name)))
}
