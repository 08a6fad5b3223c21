/** Longer ids are cut: no provider has them, and the look-up tries every beginning of an id. */
const LONGEST_ID = 200

/** Bedrock writes `us.anthropic.claude-…`: the region, then the vendor, each with a dot. */
const REGIONS = ['us', 'us-gov', 'eu', 'apac', 'global', 'jp', 'au', 'ca', 'sa', 'regional']
const VENDORS =
  'amazon anthropic deepseek google meta minimax mistral moonshot moonshotai nvidia openai qwen xai zai'.split(' ')
const DOTTED_PREFIXES = new Set([...REGIONS, ...VENDORS])

/** True for Claude Code's way to ask for the window of a million tokens: `claude-opus-4-6[1m]`. */
export function asksForMillionTokens(id: string): boolean {
  return id.trim().toLowerCase().endsWith('[1m]')
}

/**
 * One spelling per model: lower case, without the vendor, region, offer or deployment around the name.
 *
 *   openrouter/anthropic/claude-opus-4.8:beta           claude-opus-4-8
 *   us.anthropic.claude-sonnet-4-5-20250929-v1:0        claude-sonnet-4-5-20250929
 *   publishers/google/models/gemini-3-pro-preview       gemini-3-pro-preview
 */
export function canonicalModelId(id: string): string {
  let name = id.slice(0, LONGEST_ID).trim().toLowerCase()
  if (name.endsWith('[1m]')) name = name.slice(0, -4)
  name = name.slice(name.lastIndexOf('/') + 1)
  for (let dot = name.indexOf('.'); dot > 0 && DOTTED_PREFIXES.has(name.slice(0, dot)); dot = name.indexOf('.')) {
    name = name.slice(dot + 1)
  }
  for (const mark of [':', '@', '[']) {
    const at = name.indexOf(mark)
    if (at > 0) name = name.slice(0, at)
  }
  if (name.startsWith('claude')) return canonicalClaude(name)
  // Azure deployments cannot hold a dot: `gpt-5-4-mini`, `gpt-35-turbo`.
  return name.replace(/^gpt-35\b/, 'gpt-3.5').replace(/^gpt-(\d)-(\d)(?=-|$)/, 'gpt-$1.$2')
}

/** `claude-4.5-sonnet-v2` is `claude-sonnet-4-5`; up to 3.7 the number stood first by rule. */
function canonicalClaude(name: string): string {
  const dashed = name.replaceAll('.', '-').replace(/-v\d$/, '')
  return dashed.replace(/^claude-([4-9](?:-\d)?)-(opus|sonnet|haiku|fable|mythos)/, 'claude-$2-$1')
}
