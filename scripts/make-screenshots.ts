/**
 * Makes the pictures of the docs from the example session: pages by Chromium (`/usr/bin/chromium`),
 * output of commands as SVG. Run: `npm run build && npx tsx scripts/make-screenshots.ts`
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { startOnTerminal } from '../test/pseudo-terminal.suite.ts'

const root = resolve(import.meta.dirname, '..')
const SIZE = { width: 1280, height: 860 }

/** Pictures of pages: the words of the command without `--html`. */
export const pages: Readonly<Record<string, readonly string[]>> = {
  'session-page.png': ['inspect', 'session.jsonl'],
  'diff-page.png': ['diff', 'small.jsonl'],
  'replay-page.png': ['replay', 'session.jsonl', '--window', '40k'],
}

/** Pictures of output, and how many lines of it. */
export const outputs: Readonly<
  Record<string, { readonly words: readonly string[]; readonly lines: number }>
> = {
  'overview.svg': { words: [], lines: 23 },
  'compress.svg': { words: ['compress', 'session.jsonl', '--dry-run'], lines: 14 },
  'preview.svg': { words: ['compress', 'session.jsonl', '--preview'], lines: 30 },
  'show.svg': { words: ['show', 'session.jsonl', '3'], lines: 34 },
}

/** Pictures of a terminal after these lines were typed. */
export const screens: Readonly<
  Record<string, { readonly words: readonly string[]; readonly typed: readonly string[] }>
> = {
  'chat.svg': {
    words: ['chat', '--demo', '--window', '8k'],
    typed: ['explore this project', 'read README.md', 'tell me a story', '/compress', '/context'],
  },
}

const ROWS = 40
const ANSWER_MS = 8000

async function makeScreen(name: string, home: string): Promise<void> {
  const { words, typed } = screens[name]!
  const terminal = startOnTerminal([join(root, 'packages/precis/bin/precis.js'), ...words], {
    columns: COLUMNS,
    rows: ROWS,
    environment: { HOME: home, NO_COLOR: '1', TZ: 'UTC' },
    directory: home,
  })
  try {
    await terminal.see('›')
    for (const line of typed) {
      terminal.type(line)
      await terminal.see(line)
      terminal.press('enter')
      await setTimeout(ANSWER_MS)
    }
    const shown = renderTerminal(['precis', ...words].join(' '), terminal.screen().join('\n'), ROWS)
    writeFileSync(join(root, 'docs/images', name), shown)
  } finally {
    terminal.close()
  }
}

async function makeScreenshots(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'precis-screenshots-'))
  const folder = join(root, 'docs/images')
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'examples/rate-limiter.jsonl'), join(home, 'session.jsonl'))
  writeCompacted(join(home, '.claude/projects/-home-dev-gateway'))
  const precis = (words: readonly string[]) =>
    execFileSync(process.execPath, [join(root, 'packages/precis/bin/precis.js'), ...words], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, NO_COLOR: '1', COLUMNS: '110', TZ: 'UTC' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  precis(['compress', 'session.jsonl', '--budget', '30%', '--out', 'small.jsonl'])
  for (const [name, { words, lines }] of Object.entries(outputs)) {
    writeFileSync(
      join(folder, name),
      renderTerminal(['precis', ...words].join(' '), precis(words), lines),
    )
  }
  for (const name of Object.keys(screens)) await makeScreen(name, home)
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  })
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' })
    for (const [name, words] of Object.entries(pages)) {
      precis([...words, '--html', 'page.html'])
      await page.goto(pathToFileURL(join(home, 'page.html')).href)
      await page.screenshot({ path: join(folder, name) })
    }
  } finally {
    await browser.close()
    rmSync(home, { recursive: true })
  }
}

// Requests of the example session in front of which it was compacted, with summaries as a model
// writes them.
const COMPACTIONS = [
  {
    before: 'Clients should see',
    durationMs: 64_000,
    postTokens: 8_120,
    summary: [
      '1. Primary request: a rate limiter for the gateway, without floating point.',
      '2. Files: src/token-bucket.ts, src/clock.ts and src/redis-store.ts with their tests in test/. All pass.',
      '3. All user messages:',
      '- We get hammered by one client. Build a rate limiter for the gateway: token bucket, 100 requests per minute per API key. Never use floating point for the budget, we had drift with that before.',
      '- The tests must not sleep. Put the clock behind an interface.',
      '- Use Redis, with the client that is there.',
      '4. Next: tell clients where they stand.',
    ].join('\n'),
  },
  {
    before: 'What happens when Redis',
    durationMs: 78_000,
    postTokens: 8_940,
    summary: [
      '1. Primary request: a rate limiter for the gateway.',
      '2. Files: src/token-bucket.ts, src/redis-store.ts, src/headers.ts, src/config.ts, src/metrics.ts, config/limits.yaml.',
      '3. All user messages:',
      '- We get hammered by one client. Build a rate limiter for the gateway: token bucket, 100 requests per minute per API key. Never use floating point for the budget, we had drift with that before.',
      '- The tests must not sleep. Put the clock behind an interface.',
      '- Clients should see where they stand. Which headers do we send?',
      '- Limits by plan, in config/limits.yaml.',
      '- Metrics, please.',
      '4. Next: what happens when Redis is down.',
    ].join('\n'),
  },
]

/** The example as a session of Claude Code in which the user compacted twice. */
function writeCompacted(folder: string): void {
  const lines = readFileSync(join(root, 'examples/rate-limiter.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  for (const { before, durationMs, postTokens, summary } of COMPACTIONS) {
    const index = lines.findIndex((line) => line.includes(`"role":"user","content":"${before}`))
    if (index === -1) throw new Error(`The example has no request that begins with "${before}".`)
    const { message: _, ...next } = JSON.parse(lines[index]!)
    const compactMetadata = { trigger: 'manual', durationMs, postTokens }
    const uuid = `boundary-${index}`
    const boundary = {
      ...next,
      type: 'system',
      subtype: 'compact_boundary',
      uuid,
      parentUuid: null,
      compactMetadata,
    }
    const message = { role: 'user', content: summary }
    const written = {
      ...next,
      uuid: `summary-${index}`,
      parentUuid: uuid,
      isCompactSummary: true,
      message,
    }
    const first = { ...JSON.parse(lines[index]!), parentUuid: written.uuid }
    lines.splice(index, 1, ...[boundary, written, first].map((record) => JSON.stringify(record)))
  }
  const { sessionId, timestamp } = JSON.parse(lines.at(-1)!)
  const path = join(folder, `${sessionId}.jsonl`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  utimesSync(path, new Date(timestamp), new Date(timestamp))
}

const COLUMNS = 110
const [CHARACTER_WIDTH, LINE_HEIGHT, MARGIN] = [7.8, 18, 14]

/** A terminal with a command and the beginning of what it printed. */
function renderTerminal(command: string, output: string, mostLines: number): string {
  const printed = output.trimEnd().split('\n')
  const more = printed.length > mostLines ? ['…'] : []
  const lines = [`$ ${command}`, '', ...printed.slice(0, mostLines), ...more].map((line) =>
    line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line,
  )
  const width = Math.ceil(COLUMNS * CHARACTER_WIDTH + 2 * MARGIN)
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN
  const texts = lines.map((line, index) => {
    const y = MARGIN + (index + 0.75) * LINE_HEIGHT
    // Browsers draw several spaces as one, whatever "xml:space" says.
    return line === ''
      ? ''
      : `<text x="${MARGIN}" y="${y}">${escapeXml(line).replaceAll(' ', '\u00a0')}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escapeXml(command)}</title>
<rect width="${width}" height="${height}" rx="8" fill="#16181d"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="13" fill="#e6e6e6">
${texts.filter((text) => text !== '').join('\n')}
</g>
</svg>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

if (process.argv[1] === import.meta.filename) await makeScreenshots()
