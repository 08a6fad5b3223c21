/**
 * Keys and tokens that are known by their beginning. The list of providers, with the beginnings and
 * lengths of their keys, was read from three sources: the rules of gitleaks
 * (github.com/gitleaks/gitleaks, config/gitleaks.toml at 009e025, MIT),
 * @secretlint/secretlint-rule-preset-recommend 12.0.0 (MIT), and pages of providers that both lack.
 * The expressions are our own. Each begins at the start of a word, has a fixed beginning, and
 * repeats only single classes of characters, so its time grows with its match.
 */

import type { Steps } from '../conversation/steps.ts'
import { type AddSecret, findEnd } from './placeholder.ts'

const KEYS = [
  // OpenAI, Anthropic, DeepSeek, OpenRouter, LiteLLM
  /sk-(?=[\w-]{0,200}\d)[\w-]{16,}/,
  // Groq, xAI, Perplexity
  /gsk_[A-Za-z0-9]{20,}/,
  /xai-[\w-]{20,}/,
  /pplx-[A-Za-z0-9]{20,}/,
  // Hugging Face
  /(?:hf|api_org)_[A-Za-z0-9]{20,}/,
  // Replicate, NVIDIA, Fireworks, Cerebras
  /r8_[A-Za-z0-9]{30,}/,
  /nvapi-[\w-]{30,}/,
  /fw_[A-Za-z0-9]{20,}/,
  /csk-\w{30,}/,
  // Pinecone, Tavily, LangSmith, ElevenLabs
  /pcsk_\w{30,}/,
  /tvly-[\w-]{20,}/,
  /lsv2_(?:pt|sk)_\w{30,}/,
  /sk_[0-9a-f]{40,}/,
  // AWS
  /(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /ABSK[A-Za-z0-9+/]{60,}={0,2}/,
  // Google
  /AIza[\w-]{30,}/,
  /ya29\.[\w-]{20,}/,
  /GOCSPX-[\w-]{20,}/,
  // Azure
  /[\w.~]{3}\dQ~[\w.~-]{31,34}/,
  // DigitalOcean
  /do[opr]_v1_[a-f0-9]{40,}/,
  // Alibaba, Tencent, Yandex
  /LTAI[A-Za-z0-9]{16,24}(?![A-Za-z0-9])/,
  /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/,
  /AQVN[\w-]{35,38}/,
  /YC[\w-]{38}(?![\w-])/,
  // Cloudflare
  /v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}/,
  /cfk_\w{30,}/,
  /cfut_\w{30,}/,
  // Heroku, Fly.io, Vercel, Netlify, Railway, Render
  /HRKU-[\w-]{30,}/,
  /fo1_[\w-]{40,}/,
  /fm[12][ar]?_[A-Za-z0-9+/]{80,}={0,3}/,
  /vc[piark]_\w{20,60}/,
  /nfp_\w{30,}/,
  /rnd_\w{28,}/,
  // Supabase, PlanetScale, Neon, Turso
  /sb[psf]?_(?:secret_|live_)?(?=[\w-]{0,60}\d)[\w-]{30,}/,
  /pscale_(?:tkn|oauth|pw)_[\w=.-]{30,}/,
  /napi_[a-z0-9]{40,}/,
  // Databricks, OpenShift, ClickHouse, Artifactory
  /dapi[a-f0-9]{32}/,
  /sha256~[\w-]{43}/,
  /4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])/,
  /AKCp[A-Za-z0-9]{60,}/,
  /cmVmd[A-Za-z0-9]{59}/,
  // GitHub
  /gh[pousr]_[A-Za-z0-9]{20,}/,
  /github_pat_\w{20,}/,
  /v1\.[a-f0-9]{40}(?![A-Za-z0-9])/,
  // GitLab
  /gl(?:pat|dt|ptt|rt|rtr|ft|imt|agent|oas|soat|ffct|cbt|wt)-[\w.-]{16,}/,
  /GR1348941[\w-]{16,}/,
  // Bitbucket, Atlassian
  /AT(?:ATT|CTT|BB)[\w=-]{20,}/,
  // npm, PyPI, RubyGems, crates.io, NuGet, Clojars, Docker
  /npm_[A-Za-z0-9]{30,}/,
  /pypi-[\w-]{30,}/,
  /rubygems_[a-f0-9]{40,}/,
  /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/,
  /oy2[a-z0-9]{43}(?![A-Za-z0-9])/,
  /CLOJARS_\w{40,}/,
  /dckr_(?:pat|oat)_[\w-]{20,}/,
  // CI and code services
  /CCI(?:PAT|PRJ)_\w{20,}/,
  /bk[a-z]{2}_\w{30,}/,
  /sgp_\w{40,}/,
  /s(?:qu|qp|qa)_[a-f0-9]{40}/,
  /pul-[a-f0-9]{40}/,
  /ico-[A-Za-z0-9]{32}/,
  /pnu_\w{36}/,
  /tk-us-[\w-]{40,}/,
  /API-[A-Z0-9]{26,}/,
  /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/,
  /tskey-[a-z]{1,10}-\w{8,}-?\w{0,60}/,
  // HashiCorp Vault, Doppler, 1Password, age
  /hv[sbr]\.[\w-]{20,}/,
  /s\.(?=[A-Za-z]{0,24}\d[A-Za-z]{0,24}\d)[A-Za-z0-9]{24}(?![\w.])/,
  /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/,
  /ops_eyJ[\w+/=]{40,}/,
  /A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{40,}/,
  // Slack
  /xox[a-z](?:\.xox[bp])?-[\w-]{10,}/,
  /xapp-\d-[\w-]{10,}/,
  // Discord
  /[MNO][A-Za-z0-9]{22,27}\.[\w-]{6}\.[\w-]{27,}/,
  // Telegram
  /(?<=\d{8}:)AA[\w-]{31,35}(?![\w-])/,
  // SendGrid, Mailgun, Mailchimp, Brevo, Resend, Twilio
  /SG\.[\w-]{16,}\.[\w-]{16,}/,
  /key-[a-f0-9]{32}(?![A-Za-z0-9])/,
  /[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/,
  /xkeysib-[a-f0-9]{40,}[\w-]{0,20}/,
  /re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}/,
  /SK[a-f0-9]{32}(?![A-Za-z0-9])/,
  // Stripe, Clerk, Paystack, Razorpay
  /(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,}/,
  /whsec_[A-Za-z0-9+/=]{20,}/,
  /rzp_(?:live|test)_\w{14,}/,
  // Square, Shopify, Shippo, EasyPost, Flutterwave, Duffel, Plaid
  /(?:EAAA|sq0[a-z]{3}-)[\w-]{22,}/,
  /shp(?:at|ca|pa|ss|tka)_[A-Fa-f0-9]{32,}/,
  /shippo_(?:live|test)_[A-Fa-f0-9]{30,}/,
  /EZ[AT]K[A-Za-z0-9]{54}/,
  /FLWSECK(?:_TEST)?-[\w-]{12,}/,
  /duffel_(?:live|test)_[\w=-]{30,}/,
  /access-(?:sandbox|development|production)-[a-f0-9-]{36}/,
  // Grafana, Sentry, New Relic, Dynatrace
  /gl(?:c|sa)_[A-Za-z0-9+/=_]{32,}/,
  /eyJrIjoi[A-Za-z0-9+/=]{40,}/,
  /sntry[su]_[A-Za-z0-9+/=_]{40,}/,
  /NR(?:AK|RA|JS|II|IQ)-[\w-]{19,}/,
  /dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{40,}/,
  // Linear, Notion, Figma, Airtable, HubSpot, Postman, Typeform, ReadMe, Frame.io, Adobe
  /lin_(?:api|oauth)_\w{32,}/,
  /(?:ntn_|secret_)(?=\w{0,60}\d)[A-Za-z0-9]{40,}/,
  /fig[duor]+_[\w-]{30,}/,
  /pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}/,
  /pat-(?:na|eu)\d-[a-f0-9-]{36}/,
  /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/,
  /tfp_[\w=.-]{40,}/,
  /rdme_\w{50,}/,
  /fio-u-[\w=-]{40,}/,
  /p8e-[A-Za-z0-9]{32}/,
  // Facebook, Mapbox, Contentful, Harness, SettleMint, MaxMind, Intra42
  /EAA[A-Za-z0-9]{60,}/,
  /sk\.eyJ[\w-]{20,}\.[\w-]{10,}/,
  /CFPAT-[\w-]{30,}/,
  /(?:pat|sat)\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}/,
  /sm_[aps]at_\w{16,}/,
  /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk/,
  /s-s4t2(?:ud|af)-[a-f0-9]{40,}/,
  // JSON Web Token
  /eyJ[\w-]{10,}\.[\w.-]{10,}/,
  // crypt(3), bcrypt, Argon2
  /\$(?:1|2[abxy]|5|6|7|y|gy|apr1|argon2id?|argon2d|scrypt)\$[\w./$=,+-]{20,}/,
]

// A repetition without an end takes a place on the stack of the engine for each character, and
// words may have many millions.
const LONGEST_MATCH = 4_096
const SHAPES = KEYS.map(({ source }) => source)
  .join('|')
  .replaceAll(',}', `,${LONGEST_MATCH}}`)
  .replace(/(\[[^\]]*\])\+/g, `$1{1,${LONGEST_MATCH}}`)
// Tried at the beginning of each word.
const SHAPE = new RegExp(SHAPES, 'y')
// The beginnings of those keys that are long enough to be broken by the width of a terminal.
const BEGINNING =
  /^[-\w]{0,6}(?:sk-|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|eyJ|xox[a-z]-|npm_|pypi-|hf_|gsk_|AIza|ya29\.|do[opr]_v1_|hv[sbr]\.|SG\.|[srp]k_(?:live|test)_|dckr_|ATATT|whsec_)/

// A key is a long word. Shorter words are skipped.
const SHORTEST_WORD = 8
const IS_WORD = new Uint8Array(1 << 16)
for (const sign of '$-._~') IS_WORD[sign.charCodeAt(0)] = 1
for (let code = 0; code < 128; code++) if (/\w/.test(String.fromCharCode(code))) IS_WORD[code] = 1
const REST_OF_KEY = /[\w.~$+/=-]{1,256}/y
const SHORTEST_KEY = 16
// Beginnings of a line whose text is quoted, numbered, indented or a change: `+`, `| `, `  12→`.
const NEXT_LINE =
  /(?:\r?\n|\\{1,16}n)[ \t]{0,20}(?:\d{1,6}[→|:\t][ \t]{0,8})?[+|>│-]?[ \t]{0,8}([\w+/=.~-]{4,4096})(?![^\s"'`\\│|,;])/y
const MOST_LINES = 60

// Some milliseconds.
const WORDS_A_STEP = 20_000

export function* findShapes(text: string, add: AddSecret): Steps<void> {
  let next = WORDS_A_STEP
  let from = 0
  const { length } = text
  for (let probe = SHORTEST_WORD - 1; probe < length; probe = from + SHORTEST_WORD - 1) {
    // A long word has a sign at one of these places.
    if (IS_WORD[text.charCodeAt(probe)] === 0) {
      from = probe + 1
      continue
    }
    let end = probe + 1
    while (end < length && IS_WORD[text.charCodeAt(end)] === 1) end++
    if (--next === 0) {
      yield
      next = WORDS_A_STEP
    }
    let wordStart = probe
    const mostLength = end - from
    // Most words are too short, wherever they begin.
    if (mostLength >= SHORTEST_KEY || isLineEnd(text, end))
      while (wordStart > from && IS_WORD[text.charCodeAt(wordStart - 1)] === 1) wordStart--
    from = end
    if (end - wordStart < SHORTEST_WORD) continue
    const isBroken = isLineEnd(text, end) && BEGINNING.test(text.slice(wordStart, wordStart + 24))
    if (end - wordStart < SHORTEST_KEY && !isBroken) continue
    const keyStart = skipEscape(text, wordStart)
    const keyEnd =
      matchShape(text, keyStart) ?? (isBroken ? matchBroken(text, keyStart, end) : keyStart)
    if (keyEnd === keyStart) continue
    const last = followLines(text, keyEnd)
    add(keyStart, last)
    from = Math.max(end, last)
  }
}

/**
 * Keys that begin in the middle of a word, at one of these places, in ascending order. A search for
 * `sk-` colors that much of `task-2025-04-01-report`, so it begins no key there.
 */
export function* findShapesAt(
  places: readonly number[],
  text: string,
  add: AddSecret,
): Steps<void> {
  let from = 0
  for (const [index, place] of places.entries()) {
    if (index % WORDS_A_STEP === WORDS_A_STEP - 1) yield
    if (place < from || IS_WORD[text.charCodeAt(place - 1)] !== 1) continue
    const end = text.startsWith('sk-', place) ? undefined : matchShape(text, place)
    if (end === undefined) continue
    add(place, end)
    from = end
  }
}

/** The end of a key that begins at a place. Undefined if no key begins there. */
function matchShape(text: string, start: number): number | undefined {
  const end = findEnd(SHAPE, text, start)
  return end !== undefined && end - start >= LONGEST_MATCH ? skipAll(REST_OF_KEY, text, end) : end
}

/** Piece by piece: as one match a word of many millions of characters is too long. */
export function skipAll(piece: RegExp, text: string, from: number): number {
  let end = from
  for (let next: number | undefined = from; next !== undefined; next = findEnd(piece, text, end))
    end = next
  return end
}

/** What is right before a word and no part of it: the `n` of `\n` in JSON, the `-` of a removed line. */
function skipEscape(text: string, index: number): number {
  let start = index
  if (text.charAt(start - 1) === '\\') start++
  while (/[-_.]/.test(text.charAt(start))) start++
  return start
}

function isLineEnd(text: string, position: number): boolean {
  const next = text.charCodeAt(position)
  return (
    next === LINE_FEED ||
    next === CARRIAGE_RETURN ||
    (next === BACKSLASH && /^\\{1,16}n/.test(text.slice(position, position + 18)))
  )
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const BACKSLASH = 92

/** The end of a key of which only the beginning is in this line. */
function matchBroken(text: string, start: number, end: number): number {
  NEXT_LINE.lastIndex = end
  const rest = NEXT_LINE.exec(text)?.[1]
  if (rest === undefined) return start
  const next = NEXT_LINE.lastIndex - rest.length
  const length = (findEnd(SHAPE, text.slice(start, end) + rest, 0) ?? 0) - (end - start)
  return length > 0 ? next + length : start
}

// For a line that was broken because it was full.
const WIDE = 30

/** The end of a key that continues in the next lines, because the line was full. */
export function followLines(text: string, from: number): number {
  let end = from
  for (let lines = 0; lines < MOST_LINES && isLineEnd(text, end); lines++) {
    if (/\n|\\n/.test(text.slice(Math.max(0, end - WIDE), end))) break
    NEXT_LINE.lastIndex = end
    const next = NEXT_LINE.exec(text)?.[1]
    if (next === undefined || !/\d|[a-z][A-Z]/.test(next) || /^[A-Za-z_]{2,40}=/.test(next)) break
    end = NEXT_LINE.lastIndex
  }
  return end
}
