/**
 * `compress --interactive`: values for `--keep-turn`, `--keep-path` and `--drop-tool`, chosen from
 * a list.
 */
import { inspect } from '@precis/core'
import { countModelSummary } from '@precis/core/engine'
import pc from 'picocolors'
import { measureCompression } from '../compression/compress-session.ts'
import { toSettings } from '../compression/settings.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { loadSession } from '../sessions/load-session.ts'
import { mark } from '../terminal/mark.ts'
import { neutralizeLine, renderCount, renderPreview, right } from '../terminal/render.ts'
import { hasColors, isInteractive } from '../terminal/terminal.ts'
import type { CompressFlags } from './compress-options.ts'
import { exitCodes, Failure, wrongUsage } from './failure.ts'

interface Row {
  readonly cells: readonly string[]
  /** Tokens that marking it adds to the result. Negative for a tool that is removed. */
  readonly tokens: number
  readonly choose: (flags: CompressFlags) => CompressFlags
}

// The largest share of a result that manual choices may take.
const KEPT_SHARE = 0.7
const REQUEST_COLUMNS = 60

/**
 * The flags with the user's choices. If `--budget` is missing and they do not fit what `compress`
 * has without it, adds a larger one. Throws `Failure` if there is no terminal.
 */
export async function chooseByHand(name: string, flags: CompressFlags): Promise<CompressFlags> {
  if (!isInteractive(flags) || name === '-') {
    throw wrongUsage(
      '--interactive needs a terminal, and there is none. Give --keep-turn, --keep-path and --drop-tool instead.',
    )
  }
  const { rows, total, summary, target } = await listRows(name, flags)
  const canGrow = flags.budget === undefined && flags.window === undefined
  const measure = (marked: ReadonlySet<number>) => {
    const kept = [...marked].reduce((sum, index) => sum + Math.max(rows[index]?.tokens ?? 0, 0), 0)
    const needed = canGrow ? Math.ceil(Math.max(summary + kept, kept / KEPT_SHARE)) : 0
    return { kept, budget: Math.min(Math.max(target, needed), Math.max(target, total)) }
  }
  const marked = await mark(
    {
      title: `what stays, and which tools are removed? (${neutralizeLine(name)}, ${renderCount(total)} tokens)`,
      columns: ['what', right('tokens'), { title: '', shrinkTo: 16 }],
      rows: rows.map(({ cells }) => cells),
      renderSum(chosen) {
        const { kept, budget } = measure(chosen)
        return `${renderCount(kept)} tokens stay verbatim, and the result has at most ${renderCount(budget)} tokens`
      },
    },
    pc.createColors(hasColors(process.stderr, process.env)),
  )
  if (!marked)
    throw new Failure(
      'interrupted',
      exitCodes.interrupted,
      'nothing was chosen, and nothing was written.',
    )
  const chosen = [...marked].reduce((given, index) => rows[index]?.choose(given) ?? given, flags)
  if (!canGrow || marked.size === 0) return chosen
  return { ...chosen, budget: String(measure(marked).budget) }
}

async function listRows(name: string, flags: CompressFlags) {
  const { format, to } = flags
  const settings = toSettings(await readConfigured(flags), flags)
  const source = await loadSession(name, format)
  try {
    const { session, counter, target } = await measureCompression(source, { settings, to })
    const { byTurn, byFile, byTool, tokens } = inspect(session.conversation, counter)
    const createRow = (
      what: string,
      size: number,
      text: string,
      tokensOf: number,
      choose: Row['choose'],
    ): Row => ({
      cells: [what, renderCount(size), renderPreview(text, REQUEST_COLUMNS)],
      tokens: tokensOf,
      choose,
    })
    const rows = [
      ...byTurn
        .filter(({ turn }) => turn > 0)
        .map(({ turn, tokens: size, request }) =>
          createRow(`keep turn ${turn}`, size, request, size, (flags) => ({
            ...flags,
            keepTurn: [...(flags.keepTurn ?? []), turn],
          })),
        ),
      ...byFile.map(({ path, tokens: size }) =>
        createRow('keep file', size, path, size, (flags) => ({
          ...flags,
          keepPath: [...(flags.keepPath ?? []), path],
        })),
      ),
      ...byTool.map(({ tool, tokens: size }) =>
        createRow('drop tool', size, tool, -size, (flags) => ({
          ...flags,
          dropTool: [...(flags.dropTool ?? []), tool],
        })),
      ),
    ]
    return {
      rows,
      total: tokens.total,
      summary: countModelSummary(tokens.total, counter.model),
      target: target.tokens,
    }
  } finally {
    source.document.close()
  }
}
