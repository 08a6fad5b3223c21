import { execFileSync } from 'node:child_process'
import type { EncodingName } from '../../packages/core/src/tokens/encodings/encoding.ts'
import { type Corpus, readCorpora } from './counting-corpora.ts'
import { measureCpuMs, type Row } from './measure.ts'

type Count = (text: string) => number

interface Counter {
  readonly name: string
  readonly count: Count
}

const ENCODINGS: readonly EncodingName[] = ['o200k_base', 'cl100k_base']
const MEGABYTE = 1_000_000
const SLOWEST_MEGABYTE_MS = 1_000
const LEAST_RATIO = 3
const LONGEST_COLD_START_MS = 30
const MOST_RSS_MEGABYTES = 80

const built = new URL('../../packages/core/dist/tokens/load-encoding.js', import.meta.url)

/** Counting with the built package against the libraries of npm; takes about a minute. */
export async function measureCounting(): Promise<Row[]> {
  const { loadEncoding }: typeof import('../../packages/core/src/tokens/load-encoding.ts') =
    await import(built.href)
  const rows = ENCODINGS.flatMap(measureColdStart)
  const corpora = readCorpora()
  for (const encoding of ENCODINGS) {
    const own: Counter = { name: 'precis', count: (await loadEncoding(encoding)).count }
    const libraries = [
      await loadGptTokenizer(encoding),
      await loadAiTokenizer(encoding),
      await loadTiktoken(encoding),
    ]
    // Own vocabularies are unpacked on demand, theirs when they are loaded.
    for (const corpus of corpora) corpus.seen.forEach(own.count)
    for (const corpus of corpora) rows.push(...measureCorpus(encoding, corpus, own, libraries))
    rows.push(measureWorstCase(encoding, own.count))
  }
  return rows
}

interface Measured {
  readonly name: string
  readonly counts: readonly number[]
  readonly megabytesPerSecond: number
}

function measureCorpus(
  encoding: string,
  corpus: Corpus,
  own: Counter,
  libraries: readonly Counter[],
): Row[] {
  const ownMeasured = measureCounter(own, corpus)
  const others = libraries.map((library) => measureCounter(library, corpus))
  const fastest = others.reduce((best, other) =>
    other.megabytesPerSecond > best.megabytesPerSecond ? other : best,
  )
  const ratio = ownMeasured.megabytesPerSecond / fastest.megabytesPerSecond
  const oracle = others.find(({ name }) => name === 'tiktoken')
  const different = ownMeasured.counts.filter(
    (count, index) => count !== oracle?.counts[index],
  ).length
  return [
    {
      name: `${encoding} on unseen ${corpus.name}: own ${renderSpeed(ownMeasured)}, fastest library ${fastest.name} ${renderSpeed(fastest)}`,
      value: `× ${ratio.toFixed(1)}`,
      bar: `≥ × ${LEAST_RATIO}`,
      passed: ratio >= LEAST_RATIO,
    },
    {
      name: `${encoding} on ${corpus.name}: of ${corpus.unseen.length} documents, counted differently from tiktoken`,
      value: String(different),
      bar: '0',
      passed: different === 0,
    },
  ]
}

function measureCounter({ name, count }: Counter, corpus: Corpus): Measured {
  // Seen documents compile a counter; wasm is compiled ahead.
  const passes = name === 'tiktoken' ? 0 : 3
  for (let pass = 0; pass < passes; pass++) for (const text of corpus.seen) count(text)
  const bytes = corpus.unseen.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const started = process.cpuUsage()
  const counts = corpus.unseen.map(count)
  return { name, counts, megabytesPerSecond: bytes / MEGABYTE / (measureCpuMs(started) / 1000) }
}

function renderSpeed({ megabytesPerSecond }: Measured): string {
  return `${megabytesPerSecond.toFixed(megabytesPerSecond < 10 ? 1 : 0)} MB/s`
}

/** The slowest of several texts of a megabyte: one piece, or pieces that no cache remembers. */
function measureWorstCase(encoding: string, count: Count): Row {
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['the letter a', 'a'.repeat(MEGABYTE)],
    ['the equals sign', '='.repeat(MEGABYTE)],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['line feeds', '\n'.repeat(MEGABYTE)],
    ['one digit', '7'.repeat(MEGABYTE)],
    ['one CJK character', '語'.repeat(MEGABYTE / 3)],
    ['one emoji', '🎉'.repeat(MEGABYTE / 4)],
    ['random letters', randomText('abcdefghijklmnopqrstuvwxyz', MEGABYTE)],
    ['hex', randomText('0123456789abcdef', MEGABYTE)],
    [
      'base64',
      randomText('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', MEGABYTE),
    ],
  ]
  let slowest = { name: '', ms: 0 }
  for (const [name, text] of texts) {
    const started = process.cpuUsage()
    count(text)
    const ms = measureCpuMs(started)
    if (ms > slowest.ms) slowest = { name, ms }
  }
  return {
    name: `${encoding}, slowest of ${texts.length} megabytes: ${slowest.name}`,
    value: `${slowest.ms.toFixed(0)} ms`,
    bar: `≤ ${SLOWEST_MEGABYTE_MS} ms`,
    passed: slowest.ms <= SLOWEST_MEGABYTE_MS,
  }
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

const COLD_RUNS = 15

/**
 * Import and first count in fresh processes; other processes only ever add to it, so the best run
 * is the measure.
 */
function measureColdStart(encoding: EncodingName): Row[] {
  const script = `const started = performance.now()
    const { loadEncoding } = await import(${JSON.stringify(built.href)})
    ;(await loadEncoding('${encoding}')).count('Hello, wörld 你好 🎉')
    console.log(JSON.stringify([performance.now() - started, process.memoryUsage.rss()]))`
  const runs = Array.from({ length: COLD_RUNS }, (): [ms: number, bytes: number] =>
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
    ),
  )
  const times = runs.map(([ms]) => ms).sort((a, b) => a - b)
  const best = times[0] ?? Number.NaN
  const median = times[times.length >> 1] ?? Number.NaN
  const megabytes = Math.max(...runs.map(([, bytes]) => bytes)) / MEGABYTE
  return [
    {
      name: `${encoding}, import and first count in a new process: best of ${COLD_RUNS} (median ${median.toFixed(1)} ms)`,
      value: `${best.toFixed(1)} ms`,
      bar: `≤ ${LONGEST_COLD_START_MS} ms`,
      passed: best <= LONGEST_COLD_START_MS,
    },
    {
      name: `${encoding}, resident memory after it`,
      value: `${megabytes.toFixed(0)} MB`,
      bar: `≤ ${MOST_RSS_MEGABYTES} MB`,
      passed: megabytes <= MOST_RSS_MEGABYTES,
    },
  ]
}

async function loadTiktoken(encoding: EncodingName): Promise<Counter> {
  const { get_encoding } = await import('tiktoken')
  const tokenizer = get_encoding(encoding)
  return { name: 'tiktoken', count: (text) => tokenizer.encode_ordinary(text).length }
}

async function loadGptTokenizer(encoding: EncodingName): Promise<Counter> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base')
  const options = { disallowedSpecial: new Set<string>() }
  return { name: 'gpt-tokenizer', count: (text) => countTokens(text, options) }
}

async function loadAiTokenizer(encoding: EncodingName): Promise<Counter> {
  const { Tokenizer } = await import('ai-tokenizer')
  const tokenizer = new Tokenizer(
    encoding === 'o200k_base'
      ? await import('ai-tokenizer/encoding/o200k_base')
      : await import('ai-tokenizer/encoding/cl100k_base'),
  )
  return { name: 'ai-tokenizer', count: (text) => tokenizer.encode(text, [], []).length }
}
