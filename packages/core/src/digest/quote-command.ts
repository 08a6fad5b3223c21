/** A command on one line, short enough to be read: heredocs by what they feed. */
import { clip, flatten } from '../facts/flatten.ts'

const LONGEST_COMMAND = 120
// A command that is only a little longer stays whole, so that it can be run again.
const LONGEST_WHOLE = 200
const LONGEST_PURPOSE = 80
// `<<<` feeds no lines.
const HEREDOC = /(?<!<)<<-?[ \t]{0,4}['"\\]?([A-Za-z_]\w{0,40})['"]?/g
/** Replaces what is left out. */
export const GAP = '…'
// `git commit -m "$(cat <<'EOF' … )"`
const FED = /"\$\(cat <<-? ?['"\\]?\w{1,41}['"]? … \)"/g
/** Between a command that is not quoted whole and what its agent said it does. */
export const PURPOSE_MARK = ` ${GAP} # `

//   cat > a.ts <<'E'        cat > a.ts <<'E' … ; npx jiti a.ts
//   const a = 1        ─►
//   E
//   npx jiti a.ts
//
//   git commit -m "$(cat <<'E'   git commit -m …
//   Fix it                    ─►
//   E
//   )"
export function quoteCommand(command: string, purpose: string | undefined): string {
  const whole = flatten(command)
  const told = flatten(withoutHeredocs(command)).replace(FED, GAP)
  const quote = told.length <= LONGEST_WHOLE ? told : clip(told, LONGEST_COMMAND)
  if (purpose === undefined || (quote === whole && !quote.endsWith(GAP))) return quote
  const start = quote.endsWith(` ${GAP}`) ? quote.slice(0, -2) : quote
  return `${start}${PURPOSE_MARK}${clip(flatten(purpose), LONGEST_PURPOSE)}`
}

/** A command without the lines that it feeds to its programs. */
export function withoutHeredocs(command: string): string {
  if (!command.includes('<<')) return command
  const kept: string[] = []
  let ends: readonly string[] = []
  let ended = 0
  for (const line of command.split('\n')) {
    if (ended < ends.length) {
      if (line.trim() === ends[ended]) ended++
      continue
    }
    ends = [...line.matchAll(HEREDOC)].map(([, end]) => end!)
    ended = 0
    kept.push(ends.length > 0 && !line.includes(GAP) ? `${line} ${GAP}` : line)
  }
  return kept.join('\n')
}
