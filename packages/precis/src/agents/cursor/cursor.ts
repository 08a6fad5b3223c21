import { homedir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { type ByteSource, formats } from '@precis/core/formats'
import { quietly } from '../../files/errors.ts'
import { asObject, asText, parseObject, readLines } from '../../files/lines.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Agent, Environment, SessionHead, SessionTimes } from '../shared/agent.ts'
import { changeDirectory, listFiles, uuidIds } from '../shared/session-files.ts'
import { readLineHead, readPrompt } from '../shared/session-lines.ts'
import { splitLines } from '../shared/split-lines.ts'

const TRANSCRIPTS = `${sep}agent-transcripts${sep}`
const FILES = {
  levels: [2, 3],
  pattern: /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/,
} as const

/** `~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`, which Cursor never reads. */
export const cursor: Agent = {
  name: 'cursor',
  title: 'Cursor',
  aliases: ['cursor-agent'],
  format: formats.cursor,
  ids: uuidIds,
  homeVariables: ['CURSOR_DATA_DIR'],
  findHome,
  list: (environment) =>
    listFiles(join(findHome(environment), 'projects'), FILES).filter(({ path }) =>
      path.includes(TRANSCRIPTS),
    ),
  findWorkingDirectory,
  readHead,
  readTimes,
  readRequests: () => [],
  isLog: () => true,
  splitRecords: splitLines,
  resume: ({ directory, sessionId }) =>
    changeDirectory(directory, `cursor-agent --resume ${sessionId}`),
}

function findHome({ CURSOR_DATA_DIR: data }: Environment): string {
  return resolve(data || join(homedir(), '.cursor'))
}

/** The name of a project's folder has lost its separators, but a file in it has the path. */
function findWorkingDirectory(path: string): string | undefined {
  const [project, ...rest] = path.split(TRANSCRIPTS)
  if (project === undefined || rest.length === 0) return undefined
  const trusted = quietly(() => parseObject(readInputFile(join(project, '.workspace-trusted'))))
  return asText(trusted?.workspacePath)
}

const OPENING = '<user_query>'

/** What the user typed, without what Cursor puts around it. */
function cutWords(text: string): string {
  const start = text.indexOf(OPENING)
  const end = text.lastIndexOf('</user_query>')
  return start < 0 || end < start ? text : text.slice(start + OPENING.length, end)
}

function readHead(source: ByteSource): SessionHead {
  return readLineHead(source, ({ role, message }) => {
    const content = role === 'user' ? asObject(message)?.content : undefined
    const blocks = Array.isArray(content) ? content : [{ text: content }]
    const texts = blocks.map((block: unknown) => ({
      text: cutWords(asText(asObject(block)?.text) ?? ''),
    }))
    return { firstPrompt: readPrompt(texts) }
  })
}

// `<timestamp>Thursday, Nov 26, 2026, 4:12 PM (UTC+1)</timestamp>`
const TIME =
  /<timestamp>[A-Za-z]{3,9}, ([A-Za-z]{3} \d{1,2}, \d{4}), (\d{1,2}:\d{2} [AP]M) \(UTC([+-]\d{1,2})?(:\d{2})?\)/g

/** Lines have no times, but Cursor puts one before what the user typed. */
function readTimes(source: ByteSource): SessionTimes | undefined {
  const times: number[] = []
  for (const line of readLines(source)) {
    if (!line.includes('<timestamp>')) continue
    for (const [, day, time, hours = '+0', minutes = ':00'] of line
      .toString('utf8')
      .matchAll(TIME)) {
      const zone = `${hours[0]}${hours.slice(1).padStart(2, '0')}${minutes}`
      times.push(Date.parse(`${day} ${time} GMT${zone.replace(':', '')}`))
    }
  }
  const [first = Number.NaN] = times
  const last = times.at(-1) ?? Number.NaN
  if (Number.isNaN(first) || Number.isNaN(last)) return undefined
  return { start: new Date(Math.min(first, last)), end: new Date(Math.max(first, last)) }
}
