/**
 * How a summary gets into Claude Code's next request unchanged. Claude Code (2.1.329) takes the
 * text between the first two tags, turns more than two line breaks into two, and removes `<` from
 * one of its own tags.
 */

// The first ends a summary. The second is a tag of the agent that no summary may contain.
const TAGS = String.raw`(?=\/summary>|[\s/]*tools-used-before-summary)`
const BARE = new RegExp(String.raw`<(\\*)${TAGS}`, 'gi')
const PROTECTED = new RegExp(String.raw`<\\(\\*)${TAGS}`, 'gi')
const BLANK = /^ *$/

/**
 * Keeps at most one empty line in a row. Other empty lines get a space, and lines of spaces get one
 * more.
 */
export function protectSummary(summary: string): string {
  const lines = summary.trim().replace(BARE, '<\\$1').split('\n')
  const isBlank = (index: number) => BLANK.test(lines[index] ?? '-')
  return lines
    .map((line, index) =>
      isBlank(index) && (line !== '' || isBlank(index - 1)) ? `${line} ` : line,
    )
    .join('\n')
}

/** Reverses `protectSummary`. White space around the summary is lost. */
export function readProtectedSummary(text: string): string {
  const lines = text.split('\n').map((line) => (BLANK.test(line) ? line.slice(1) : line))
  return lines.join('\n').replace(PROTECTED, '<$1')
}
