/**
 * The examples and the commands that pages print, checked as a reader would use them. Programs are
 * compiled and run against a model that always answers. Commands run in a home with one session.
 */
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { startFakeUpstream } from './fake-upstream/start-fake-upstream.ts'
import { root } from './sources.ts'

interface DocumentPage {
  readonly path: string
  readonly text: string
}

interface Example {
  readonly name: string
  readonly code: string
  /** It imports a package that this repository does not install. */
  readonly needsMore: boolean
}

const OTHERS = /from '(?:@anthropic-ai\/claude-agent-sdk|@openai\/agents)'/
/** It starts the program of an agent. */
const STARTS_AGENT = /from '@anthropic-ai\/claude-agent-sdk'/

const isForReaders = ({ path }: DocumentPage) =>
  path.startsWith('docs/') || path.endsWith('README.md')

const listBlocks = (pages: readonly DocumentPage[], languages: string) =>
  pages
    .filter(isForReaders)
    .flatMap(({ path, text }) =>
      [...text.matchAll(new RegExp(`^\`\`\`(?:${languages})\\n((?:.*\\n)*?)\`\`\`$`, 'gm'))].map(
        ([, code = '']) => ({ path, code }),
      ),
    )

export const listExamples = (pages: readonly DocumentPage[]): Example[] =>
  listBlocks(pages, 'ts').map(({ path, code }, index) => ({
    name: `${path.replaceAll('/', '_')}_${index}`,
    code,
    needsMore: OTHERS.test(code),
  }))

/** In a folder whose `node_modules` has what they import, or one of the folders above it. */
export async function checkExamples(folder: string, examples: readonly Example[]): Promise<void> {
  expect(examples.length).toBeGreaterThan(0)
  for (const { name, code } of examples)
    writeFileSync(join(folder, `${name}.mts`), `${code}\nexport {}\n`)
  const compilerOptions = {
    noEmit: false,
    composite: false,
    incremental: false,
    declaration: false,
    outDir: 'out',
    rootDir: '.',
    noUnusedLocals: false,
    exactOptionalPropertyTypes: true,
    types: ['node'],
  }
  const config = {
    extends: resolve(root, 'tsconfig.base.json'),
    compilerOptions,
    include: ['*.mts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = resolve(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
  const runnable = examples.filter(({ code }) => !STARTS_AGENT.test(code))
  expect(await runExamples(folder, runnable)).toEqual([])
}

// Every request goes to the upstream of the test, whatever the address that a client has of its
// own.
const RUNNER = `
const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const { pathname, search } = new URL(input instanceof Request ? input.url : input)
  const url = new URL(pathname + search, process.env.UPSTREAM)
  return input instanceof Request ? fetch(new Request(url, input), init) : fetch(url, init)
}
const problems = []
for (const name of process.argv.slice(2)) {
  await import('./out/' + name + '.mjs').catch((error) => problems.push(name + ': ' + error.stack))
}
process.stdout.write('\\n' + JSON.stringify(problems))
`

/** What they failed with, each run on its own in the folder of a session. */
async function runExamples(folder: string, examples: readonly Example[]): Promise<unknown> {
  const upstream = await startFakeUpstream()
  copyFileSync(SESSION, join(folder, 'session.jsonl'))
  writeFileSync(join(folder, 'run.mjs'), RUNNER)
  const keys = { OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none', GEMINI_API_KEY: 'none' }
  // Tracing of the OpenAI Agents SDK would keep the process open.
  const quiet = { OPENAI_AGENTS_DISABLE_TRACING: '1' }
  const env = { PATH: process.env.PATH, HOME: folder, UPSTREAM: upstream.url, ...keys, ...quiet }
  const names = examples.map(({ name }) => name)
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['run.mjs', ...names], {
      cwd: folder,
      env,
      maxBuffer: 1e8,
    })
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n')))
  } finally {
    await upstream.close()
  }
}

const SESSION = resolve(root, 'examples/rate-limiter.jsonl')

/** What the examples of pages import, beside the packages of this repository. */
const CLIENTS = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai',
  '@anthropic-ai/sdk',
  '@google/genai',
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/openai',
  '@openai/agents',
  '@tanstack/ai',
  '@tanstack/ai-openai',
  'ai',
  'langchain',
  'openai',
  'zod',
]

/** The program that it brings is large, and nothing here starts it. */
const WITHOUT_PROGRAM = '@anthropic-ai/claude-agent-sdk'

/**
 * The packages as they are packed, and the newest of every client, as somebody installs them: in a
 * folder below this one, which is returned.
 */
export async function installNewest(folder: string): Promise<string> {
  const project = join(folder, 'project')
  mkdirSync(project)
  for (const place of [folder, project])
    writeFileSync(join(place, 'package.json'), '{ "type": "module", "private": true }')
  const tarballs: string[] = []
  for (const name of ['core', 'chat', 'precis']) {
    const cwd = resolve(root, 'packages', name)
    // What is packed is what was built; building it again here would pull it away from tests that
    // run beside.
    const words = ['pack', '--ignore-scripts', '--pack-destination', folder]
    const { stdout } = await promisify(execFile)('npm', words, { cwd })
    tarballs.push(join(folder, stdout.trim()))
  }
  const install = async (cwd: string, packages: readonly string[]) => {
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
    await promisify(execFile)('npm', words, { cwd })
  }
  await install(folder, ['--omit=optional', `${WITHOUT_PROGRAM}@latest`])
  const newest = CLIENTS.map((name) => `${name}@latest`)
  await install(project, [...tarballs, ...newest, '@types/node@20'])
  return project
}

interface Command {
  readonly path: string
  readonly line: string
}

// What a line needs that a test has not: a server, a database, a model, an agent, a terminal, a
// session of an agent that is not here, or that lost words.
const NEEDS_MORE =
  /precis (?:serve|wrap|worker|doctor claude)|--queue|--words|--summarizer|--interactive|--resume|createdb|<session>|my-status-line|ses_6bd1|019a|4e35|\bcomplete\b|^(?:npm|jq) |precis chat(?! --demo)/

/** Lines that start precis, each once, without those that need more than a home with a session. */
export function listCommands(pages: readonly DocumentPage[]): Command[] {
  const found = listBlocks(pages, 'sh|console').flatMap(({ path, code }) =>
    code
      .split('\n')
      .map((line) => line.replace(/^(?:\$ )?(?:npx )?/, '').replace(/ +# .*/, ''))
      .filter((line) => /^(?:echo .* \| )?precis(?! serves on)(?= |$)/.test(line))
      .map((line) => [line, path] as const),
  )
  return [...new Map(found)]
    .filter(([line]) => !NEEDS_MORE.test(line))
    .map(([line, path]) => ({ path, line }))
}

/**
 * Runs each in its own copy of a home in which the session of the examples was compressed, and
 * returns those that fail.
 */
export async function runCommands(
  folder: string,
  commands: readonly Command[],
): Promise<readonly unknown[]> {
  const prepared = join(folder, 'home')
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env.PATH}`
  const runIn = (home: string, line: string) => {
    const env = { PATH, HOME: home, NO_COLOR: '1' }
    const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], {
      cwd: join(home, 'gateway'),
      env,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const sessions = join(prepared, '.claude/projects/-home-dev-gateway')
  mkdirSync(sessions, { recursive: true })
  mkdirSync(join(prepared, 'gateway/examples'), { recursive: true })
  const text = readFileSync(SESSION, 'utf8')
  writeFileSync(join(sessions, `${SESSION_ID}.jsonl`), text)
  writeFileSync(join(prepared, 'gateway/examples/rate-limiter.jsonl'), text)
  writeFileSync(join(prepared, 'gateway/session.jsonl'), text)
  const lines = text.split('\n')
  const result = lines.findIndex((line) => line.includes('"tool_result"'))
  writeFileSync(join(prepared, 'gateway/broken.jsonl'), lines.toSpliced(result, 1).join('\n'))
  writeFileSync(
    join(prepared, 'gateway/request.json'),
    JSON.stringify({ model: 'claude-opus-4-8', messages: REQUEST }),
  )
  expect(runIn(prepared, 'precis compress 3f2a')).toMatchObject({ status: 0 })
  return commands.flatMap(({ path, line }) => {
    const home = join(folder, 'copy')
    cpSync(prepared, home, { recursive: true })
    const { status, stderr } = runIn(home, line)
    rmSync(home, { recursive: true })
    return status === 0 && !stderr.includes('Error') ? [] : [{ path, line, status, stderr }]
  })
}

const SESSION_ID = '3f2a9c1e-5b7d-4e86-9a40-c2d81f06b735'
const REQUEST = Array.from({ length: 40 }, (_, turn) => ({
  role: turn % 2 === 0 ? 'user' : 'assistant',
  content: `Turn ${turn}: ${'the build fails in src/main.ts. '.repeat(50)}`,
}))
