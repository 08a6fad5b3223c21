import { createHash } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { digest, type Summarizer } from '@precis/core'
import {
  chain,
  type GenerationRequest,
  type LanguageModel,
  modelSummarizer,
  type PromptSource,
} from '@precis/core/summarizers'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Environment } from '../agents/shared/agent.ts'
import type { SummarizerSettings } from '../configuration/configuration.ts'
import {
  ConfigurationError,
  explainSystemError,
  quietly,
  systemErrorCode,
} from '../files/errors.ts'
import { makeFolders } from '../files/make-folders.ts'
import { readInputFile } from '../files/read-document.ts'
import { createTemporaryFile } from '../files/temporary-file.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { AGENTS_IN_FLIGHT, createAgentModel } from './agent-model.ts'
import { createLanguageModel } from './language-model.ts'
import { findBaseUrl, providers, readKey } from './providers.ts'
import { type Clock, systemClock } from './retry.ts'
import { parseSummarizerName } from './summarizer-name.ts'

/** The I/O, which tests replace. */
export interface SummarizerHost {
  readonly environment?: Environment
  readonly clock?: Clock
  /** The folder of finished answers. By default the user's cache folder. */
  readonly answersFolder?: string
}

const DEFAULT_MAX_IN_FLIGHT = 10

/**
 * A chain that ends in `digest`. Throws `ConfigurationError`, before any call, when a name, a key
 * or an address is wrong.
 */
export async function createSummarizer(
  settings: SummarizerSettings,
  host: SummarizerHost = {},
): Promise<Summarizer> {
  if (parseSummarizerName(settings.name) === undefined) return digest()
  const limits = {
    model: pLimit(settings.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT),
    agent: pLimit(settings.maxInFlight ?? AGENTS_IN_FLIGHT),
  }
  const store = openAnswerStore(host.answersFolder)
  const connect = (name: string) => connectModel(name, settings, host, limits, store)
  const model = connect(settings.name)
  const strongModel = settings.strongModel === undefined ? undefined : connect(settings.strongModel)
  const prompts =
    settings.promptsFolder === undefined ? undefined : openPromptsFolder(settings.promptsFolder)
  return chain(modelSummarizer(model, { strongModel, prompts }), digest())
}

function connectModel(
  name: string,
  settings: SummarizerSettings,
  host: SummarizerHost,
  limits: Readonly<Record<'model' | 'agent', LimitFunction>>,
  store: AnswerStore,
): LanguageModel {
  const parsed = parseSummarizerName(name)
  const { timeoutMs } = settings
  const contextWindowTokens = name === settings.name ? settings.contextWindowTokens : undefined
  const environment = host.environment ?? process.env
  if (parsed?.type === 'agent') {
    const { agent, model } = parsed
    const enqueue = <T>(call: () => Promise<T>) => limits.agent(call)
    const options = { name, agent, model, environment, contextWindowTokens, timeoutMs, enqueue }
    return store.wrap(createAgentModel(options), '')
  }
  const provider = parsed && providers[parsed.provider]
  if (!parsed || !provider) {
    throw new ConfigurationError(
      'unknown-summarizer',
      `A stronger model has to be a model, not "${name}".`,
    )
  }
  const main = parseSummarizerName(settings.name)
  const isMain = main?.type === 'model' && parsed.provider === main.provider
  // Address and key file belong to the provider that the summarizer is named after.
  const subject = `summarizer "${name}"`
  const baseUrl = findBaseUrl(subject, isMain ? settings.baseUrl : undefined, provider, environment)
  const otherwise = 'use "digest", which needs none'
  const key = readKey(
    { subject, otherwise },
    provider,
    isMain ? settings.keyFile : undefined,
    environment,
  )
  const languageModel = createLanguageModel({
    name,
    provider,
    connection: { model: parsed.model, key, baseUrl },
    clock: host.clock ?? systemClock,
    enqueue: (call) => limits.model(call),
    contextWindowTokens,
    timeoutMs,
  })
  return store.wrap(languageModel, baseUrl)
}

/**
 * The user's prompts: the one for the model, or for the provider, or the general one. An empty file
 * counts as missing. Throws `ConfigurationError` for a missing folder and an unreadable file.
 */
function openPromptsFolder(folder: string): PromptSource {
  assertFolder(folder)
  return {
    find: (name, model, provider) => {
      const file = `${name}.md`
      for (const path of [join(provider, model, file), join(provider, file), file]) {
        const text = readPrompt(resolve(folder), path)
        if (text !== undefined && text.trim() !== '') return text.trim()
      }
      return undefined
    },
  }
}

function assertFolder(folder: string): void {
  let found = 'it is no folder'
  try {
    if (statSync(folder).isDirectory()) return
  } catch (error) {
    found = explainSystemError(error)
  }
  throw unreadable(folder, found)
}

function unreadable(path: string, found: string): ConfigurationError {
  return new ConfigurationError(
    'invalid-configuration',
    `Reading prompts of the summarizer from "${path}": ${found}. Correct "promptsFolder" in the configuration, or leave it out for the built-in prompts.`,
  )
}

function readPrompt(folder: string, path: string): string | undefined {
  const inside = relative(folder, resolve(folder, path))
  // The name of a model is not checked for what a path may mean.
  if (inside.startsWith('..') || isAbsolute(inside)) return undefined
  try {
    return readInputFile(resolve(folder, path)).toString('utf8')
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw code === undefined ? error : unreadable(resolve(folder, path), explainSystemError(error))
  }
}

/**
 * Answers that were used, by what was asked. A run that was interrupted or is repeated pays for
 * each only once.
 */
export interface AnswerStore {
  /**
   * The same model, asked only for missing answers. `address` distinguishes servers of the same
   * name.
   */
  wrap(model: LanguageModel, address: string): LanguageModel
}

const FREE = { calls: 0, inputTokens: 0, outputTokens: 0 }
const LONGEST_AGE_MS = 30 * 24 * 3600 * 1000
const MOST_ANSWERS = 4000
const MOST_BYTES = 64 << 20

/**
 * A folder for its owner only. A store that cannot be read or written is an empty one: it never
 * fails a run.
 */
export function openAnswerStore(folder = join(findUserFolders().cache, 'answers')): AnswerStore {
  let isOpen = false
  const wrap = (model: LanguageModel, address: string): LanguageModel => ({
    ...model,
    generate: async (request) => {
      request.signal?.throwIfAborted()
      const text = readAnswer(join(folder, findFileName(model.name, address, request)))
      // A machine that stops in the middle of a write may leave an empty file.
      return text === undefined || text === ''
        ? model.generate(request)
        : { type: 'text', text, finishReason: 'stop', usage: FREE }
    },
    remember: async (request, text) => {
      if (!isOpen) open(folder)
      isOpen = true
      await writeAnswer(folder, findFileName(model.name, address, request), text)
    },
  })
  return { wrap }
}

function findFileName(
  model: string,
  address: string,
  { system, prompt }: GenerationRequest,
): string {
  const hash = createHash('sha256')
  for (const text of [model, address, system, prompt]) hash.update(`${text.length} `).update(text)
  return hash.digest('hex')
}

function readAnswer(path: string): string | undefined {
  return quietly(() => readInputFile(path).toString('utf8'))
}

/**
 * The file is whole or missing. Unlike a session, it may be lost, so precis does not wait for the
 * disk.
 */
async function writeAnswer(folder: string, name: string, text: string): Promise<void> {
  const temporary = createTemporaryFile(join(folder, name))
  try {
    await writeFile(temporary.path, text, { mode: 0o600, flag: 'wx' })
    await rename(temporary.path, join(folder, name))
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
  } finally {
    temporary.remove()
  }
}

/** Creates the folder and removes its oldest answers, until it is within its limits. */
function open(folder: string): void {
  quietly(() => {
    makeFolders(folder)
    const now = Date.now()
    const files = readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats?.isFile() ? [{ path, bytes: stats.size, writtenAt: stats.mtimeMs }] : []
    })
    files.sort((a, b) => b.writtenAt - a.writtenAt)
    let bytes = 0
    files.forEach((file, index) => {
      bytes += file.bytes
      const isTooOld = now - file.writtenAt > LONGEST_AGE_MS
      if (isTooOld || index >= MOST_ANSWERS || bytes > MOST_BYTES)
        rmSync(file.path, { force: true })
    })
  })
}
