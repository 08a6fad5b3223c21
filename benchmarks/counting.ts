import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type EncodingName, getEncoding } from '../packages/core/src/tokens/encodings/index.ts'
import { type Corpus, readCorpora } from './counting-corpora.ts'

/** `ratio` is own speed by the fastest library's, or a count of differences; absent where there is nothing to divide by. */
export interface CountingRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly ratio?: number
}

type Count = (text: string) => number

interface Counter {
  readonly name: string
  readonly count: Count
}

const ENCODINGS: readonly EncodingName[] = ['o200k_base', 'cl100k_base']
const MEGABYTE = 1_000_000

/** Measures counting against the libraries that can be resolved from `resolveFrom`; takes about a minute. */
export async function measureCounting(resolveFrom: string = import.meta.url): Promise<CountingRow[]> {
  const rows: CountingRow[] = []
  const corpora = readCorpora()
  for (const encoding of ENCODINGS) {
    const oracle = await loadTiktoken(encoding, resolveFrom)
    const libraries = [
      await loadGptTokenizer(encoding, resolveFrom),
      await loadAiTokenizer(encoding, resolveFrom),
      oracle,
    ]
    const own: Counter = { name: 'precis', count: getEncoding(encoding).count }
    for (const corpus of corpora) rows.push(...measureCorpus(encoding, corpus, own, libraries))
    rows.push(...measureWorstCases(encoding, own.count))
  }
  return rows
}

function measureCorpus(encoding: string, corpus: Corpus, own: Counter, libraries: readonly Counter[]): CountingRow[] {
  const bytes = corpus.unseen.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const measured = [own, ...libraries].map((counter) => {
    // Seen documents compile the counter; one slow pass is enough for wasm, which compiles ahead.
    for (let pass = 0; pass < 3 && counter.name !== 'tiktoken'; pass++)
      for (const text of corpus.seen) counter.count(text)
    const started = performance.now()
    const counts = corpus.unseen.map(counter.count)
    const megabytesPerSecond = bytes / MEGABYTE / ((performance.now() - started) / 1000)
    return { name: counter.name, counts, megabytesPerSecond }
  })
  const [ownResult, ...others] = measured
  const oracle = measured.at(-1)
  if (ownResult === undefined || oracle === undefined) throw new Error('no counter to measure')
  const fastest = Math.max(...others.map((other) => other.megabytesPerSecond))
  const name = `${encoding} ${corpus.name}`
  return [
    ...measured.map((result) => ({
      name: `${name}, unseen, ${result.name}`,
      value: result.megabytesPerSecond,
      unit: 'MB/s',
      ...(result === ownResult ? { ratio: ownResult.megabytesPerSecond / fastest } : {}),
    })),
    {
      name: `${name}, documents counted differently from tiktoken`,
      value: ownResult.counts.filter((count, index) => count !== oracle.counts[index]).length,
      unit: `of ${corpus.unseen.length}`,
    },
  ]
}

/** A megabyte in one piece, or in pieces that no cache remembers. */
function measureWorstCases(encoding: string, count: Count): CountingRow[] {
  const cases: Record<string, string> = {
    'letter a': 'a'.repeat(MEGABYTE),
    'equals sign': '='.repeat(MEGABYTE),
    space: ' '.repeat(MEGABYTE),
    'line feed': '\n'.repeat(MEGABYTE),
    digit: '7'.repeat(MEGABYTE),
    'CJK character': '語'.repeat(MEGABYTE / 3),
    emoji: '🎉'.repeat(MEGABYTE / 4),
    'random letters': randomText('abcdefghijklmnopqrstuvwxyz', MEGABYTE),
    hex: randomText('0123456789abcdef', MEGABYTE),
    base64: randomText('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', MEGABYTE),
  }
  return Object.entries(cases).map(([name, text]) => {
    const started = performance.now()
    count(text)
    return { name: `${encoding}, 1 MB of ${name}`, value: performance.now() - started, unit: 'ms' }
  })
}

function randomText(alphabet: string, length: number): string {
  let seed = 7
  let text = ''
  for (let i = 0; i < length; i++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    text += alphabet[((seed >>> 8) * alphabet.length) >>> 24]
  }
  return text
}

const COLD_RUNS = 7

/** Import and first count in fresh processes, median, of the built package: `core` is its dist folder. */
export function measureColdCount(
  core: string = fileURLToPath(new URL('../packages/core/dist/', import.meta.url)),
): CountingRow[] {
  const module = JSON.stringify(pathToFileURL(`${core}/tokens/encodings/index.js`).href)
  return ENCODINGS.flatMap((encoding) => {
    const script = `const started = performance.now()
      const { getEncoding } = await import(${module})
      getEncoding('${encoding}').count('Hello, wörld 你好 🎉')
      console.log(JSON.stringify([performance.now() - started, process.memoryUsage.rss()]))`
    const runs = Array.from({ length: COLD_RUNS }, (): [number, number] =>
      JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })),
    )
    return [
      { name: `${encoding}, import and first count`, value: median(runs.map(([ms]) => ms)), unit: 'ms' },
      { name: `${encoding}, RSS after it`, value: median(runs.map(([, rss]) => rss)) / MEGABYTE, unit: 'MB' },
    ]
  })
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

async function loadModule<Shape>(specifier: string, resolveFrom: string): Promise<Shape> {
  return await import(pathToFileURL(createRequire(resolveFrom).resolve(specifier)).href)
}

async function loadTiktoken(encoding: EncodingName, resolveFrom: string): Promise<Counter> {
  const { get_encoding } = await loadModule<typeof import('tiktoken')>('tiktoken', resolveFrom)
  const tokenizer = get_encoding(encoding)
  return { name: 'tiktoken', count: (text) => tokenizer.encode_ordinary(text).length }
}

interface GptTokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
}

async function loadGptTokenizer(encoding: EncodingName, resolveFrom: string): Promise<Counter> {
  const { countTokens } = await loadModule<GptTokenizer>(`gpt-tokenizer/encoding/${encoding}`, resolveFrom)
  const options = { disallowedSpecial: new Set<string>() }
  return { name: 'gpt-tokenizer', count: (text) => countTokens(text, options) }
}

interface AiTokenizer {
  Tokenizer: new (vocabulary: object) => { count(text: string, allowed?: string[], disallowed?: string[]): number }
}

async function loadAiTokenizer(encoding: EncodingName, resolveFrom: string): Promise<Counter> {
  const { Tokenizer } = await loadModule<AiTokenizer>('ai-tokenizer', resolveFrom)
  const tokenizer = new Tokenizer(await loadModule<object>(`ai-tokenizer/encoding/${encoding}`, resolveFrom))
  return { name: 'ai-tokenizer', count: (text) => tokenizer.count(text, [], []) }
}
