/** Known shapes of keys and passwords. Each pattern starts with a fixed text and matches in linear time. */
const SECRETS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,200}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,100}/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,120}/g,
  /\bglpat-[A-Za-z0-9_-]{16,80}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,120}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,60}/g,
  /\bya29\.[A-Za-z0-9_-]{20,300}/g,
  /\bnpm_[A-Za-z0-9]{30,60}/g,
  /\bhf_[A-Za-z0-9]{30,60}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,120}/g,
  /\bSG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,80}/g,
  // Never from the middle of a run: each beginning reads thousands of characters.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g,
]
// `password=…`, `"api_key": "…"`, `Authorization: Bearer …`: the name stays, the value goes.
const NAMED =
  /((?:password|passwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|private[_-]?key)["']?\s{0,3}[=:]\s{0,3}["']?)([A-Za-z0-9+/_.~-]{12,200})/gi
const BEARER = /(\bBearer\s{1,3})([A-Za-z0-9+/_.~=-]{16,2000})/g
const HINT =
  /sk-|gh[pousr]_|github_pat|glpat|xox|AKIA|ASIA|AIza|ya29|npm_|hf_|_live_|_test_|SG\.|eyJ|PRIVATE KEY|passw|secret|key|token|Bearer/i

// In JSON the letter of an escaped line break or tab stands right before: no beginning of a word.
const BEGINNINGS = 'sk-|gh[pousr]_|github_pat|glpat-|xox|AKIA|ASIA|AIza|ya29|npm_|hf_|[srp]k_|SG\\.|eyJ|Bearer'
const ESCAPED = new RegExp(`\\\\[nrt](?:${BEGINNINGS})`)
const BEHIND_ESCAPE = new RegExp(`(?<=\\\\[nrt])(?=${BEGINNINGS})`)

// The only secret that spans lines.
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g

export const REDACTED = '[redacted]'

/** The text without anything that looks like a key or a password. */
export function redactSecrets(text: string): string {
  if (!HINT.test(text)) return text
  const result = redactPrivateKeys(text)
  return ESCAPED.test(result) ? result.split(BEHIND_ESCAPE).map(redactShapes).join('') : redactShapes(result)
}

function redactShapes(text: string): string {
  let result = text
  for (const pattern of SECRETS) result = result.replace(pattern, REDACTED)
  result = result.replace(BEARER, `$1${REDACTED}`)
  // A value needs a digit to be a secret: `api_key: process.env.KEY_NAME` is none.
  return result.replace(NAMED, (whole, name: string, value: string) =>
    /\d/.test(value) ? `${name}${REDACTED}` : whole,
  )
}

/** Only what cannot be seen in a single line; cheap enough for megabytes of output. */
export function redactPrivateKeys(text: string): string {
  return text.includes('PRIVATE KEY') ? text.replace(PRIVATE_KEY, REDACTED) : text
}
