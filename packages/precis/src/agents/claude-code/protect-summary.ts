/**
 * What Claude Code does to a summary on its way into the next request, and how one comes through
 * unharmed: it takes what stands between the first two tags, makes two line breaks of more, and
 * takes `<` from one of its own tags (2.1.329).
 */

// The first is the end of a summary, the second a tag of the agent's own that no summary may hold.
const TAGS = String.raw`(?=\/summary>|[\s/]*tools-used-before-summary)`
const BARE = new RegExp(String.raw`<(\\*)${TAGS}`, 'gi')
const PROTECTED = new RegExp(String.raw`<\\(\\*)${TAGS}`, 'gi')
const BLANK = /^ *$/

/** No more than one empty line in a row: the others get a space, and lines of spaces one more. */
export function protectSummary(summary: string): string {
  const lines = summary.trim().replace(BARE, '<\\$1').split('\n')
  const isBlank = (index: number) => BLANK.test(lines[index] ?? '-')
  return lines
    .map((line, index) =>
      isBlank(index) && (line !== '' || isBlank(index - 1)) ? `${line} ` : line,
    )
    .join('\n')
}

/** The summary as it was before `protectSummary`, without white space around it. */
export function readProtectedSummary(text: string): string {
  const lines = text.split('\n').map((line) => (BLANK.test(line) ? line.slice(1) : line))
  return lines.join('\n').replace(PROTECTED, '<$1')
}
