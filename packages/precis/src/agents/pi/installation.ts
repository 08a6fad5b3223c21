import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findModuleUrl } from '../../files/installed-files.ts'
import { asObject, asText, type JsonObject, parseObject } from '../../files/lines.ts'
import { createMemorySource } from '../../files/read-document.ts'
import type { Environment, NextModel, ProviderModel, StartCommand } from '../shared/agent.ts'
import { createModuleEntry } from '../shared/entry.ts'
import type { HookHost, Installation, KeptSession } from '../shared/installation.ts'
import {
  asList,
  chooseNextModel,
  joinModel,
  KEY_VARIABLES,
  listKeyed,
  type Providers,
  readJson,
} from '../shared/next-model.ts'
import { createPromptRenderer, createSkillEntry } from '../shared/skill.ts'
import type { PiCompaction, SessionTree } from './compaction.ts'
import { findExtensionFile, findFolder } from './folder.ts'

const RECALL_TOOL = 'recall'

/**
 * An extension in `extensions`, a prompt in `prompts` (docs/extensions.md, docs/compaction.md and
 * docs/prompt-templates.md of its package, tested with 0.73.1 and 1.5.2).
 */
export const installation: Installation = {
  recallTool: RECALL_TOOL,
  bestWay: {
    commands: ['pi install <repository>/plugins/pi'],
    does: 'answers it inside the agent, and summarizes branches',
    cost: 'no request',
  },
  findTraces: (environment) => [findFolder(environment)],
  listEntries: ({ environment, command }) => [
    createModuleEntry(
      findExtensionFile(environment),
      'extension with the tool "recall", which keeps and summarizes what is compacted',
      'pi',
      renderExtension(command),
    ),
    createSkillEntry(
      {
        path: join(findFolder(environment), 'prompts', 'precis.md'),
        agent: 'pi',
        render: createPromptRenderer('$@'),
      },
      command,
    ),
  ],
  answerHook,
}

// If precis is missing, the agent uses its own compaction.
const renderExtension = (
  command: StartCommand,
) => `const command = ${JSON.stringify(command, null, 2)}

export default async function (pi) {
  try {
    const { extendPi } = await import(${JSON.stringify(findModuleUrl('agents/pi/extension'))})
    extendPi(pi, command)
  } catch {
    pi.on("session_start", (_event, context) => {
      context.ui.notify("precis is gone. Delete its extension, or install precis again.", "warning")
    })
  }
}
`

/** Keeps what pi is about to remove. Returns the name under which the model can look it up. */
async function answerHook(input: JsonObject, host: HookHost): Promise<object | undefined> {
  const { header, entries, firstKeptEntryId } = input
  const known = asObject(header)
  if (!known || !Array.isArray(entries) || typeof firstKeptEntryId !== 'string') return undefined
  // Hooks of other agents do not load the summarizer.
  const { createPiDocument, readEntries } = await import('./compaction.ts')
  const compaction = { header: known, entries: readEntries(entries), firstKeptEntryId }
  const document = createPiDocument(compaction)
  const kept = document && (await keep(input, document, compaction, host))
  return kept && { reference: kept.reference }
}

/**
 * Keeps the file itself if pi is at its end. On another branch, or without a file, keeps what pi
 * sent.
 */
async function keep(
  input: JsonObject,
  { text, conversation, cut }: SessionTree,
  { entries }: PiCompaction,
  host: HookHost,
): Promise<KeptSession | undefined> {
  const path = asText(input.sessionFile)
  const keptMessages = conversation.messages.length - cut
  if (path !== undefined && isAtItsEnd(path, entries.at(-1)?.id))
    return await host.keepSession(path, { keptMessages })
  const source = createMemorySource(Buffer.from(text))
  return await host.keepDocument({
    source,
    conversation,
    sessionId: asText(input.sessionId),
    keptMessages,
  })
}

function isAtItsEnd(path: string, id: unknown): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1) ?? ''
  return parseObject(Buffer.from(last))?.id === id
}

export function findNextModel(
  recorded: ProviderModel,
  directory: string,
  environment: Environment,
): NextModel {
  const providers = readProviders(directory, environment)
  const login = 'run "pi" and type /login'
  return chooseNextModel(
    { title: 'pi', login, file: '~/.pi/agent/models.json', providers },
    recorded,
  )
}

function readProviders(directory: string, environment: Environment): Providers {
  const folder = findFolder(environment)
  const keyed = listKeyed(readJson(join(folder, 'auth.json')), environment)
  const models = new Map<string, readonly string[] | undefined>(keyed.map((id) => [id, undefined]))
  const described: string[] = []
  for (const [id, value] of Object.entries(
    asObject(readJson(join(folder, 'models.json')).providers) ?? {},
  )) {
    const { apiKey, models: listed } = asObject(value) ?? {}
    if (apiKey === undefined && !models.has(id)) continue
    const ids = asList(listed).flatMap((model) => asObject(model)?.id ?? [])
    const names = ids.filter((model) => typeof model === 'string')
    models.set(id, KEY_VARIABLES.has(id) ? undefined : names)
    described.push(...names.map((model) => `${id}/${model}`))
  }
  const settings = [join(directory, '.pi', 'settings.json'), join(folder, 'settings.json')].map(
    readJson,
  )
  return {
    models,
    described,
    preferred: settings.flatMap(({ defaultProvider, defaultModel }) =>
      joinModel(defaultProvider, defaultModel),
    ),
  }
}
