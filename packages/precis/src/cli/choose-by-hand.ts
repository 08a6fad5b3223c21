/**
 * `compress --interactive`: values for `--keep-turn`, `--keep-path` and `--drop-tool`, chosen from
 * a list.
 */
import { findModel, inspect } from '@precis/core'
import { countModelSummary } from '@precis/core/engine'
import { loadTokenCounter } from '@precis/core/tokens'
import pc from 'picocolors'
import { toSettings } from '../compression/settings.ts'
import { findTarget } from '../compression/target.ts'
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
  const measure = (marked: ReadonlySet<number>) => {
    const kept = [...marked].reduce((sum, index) => sum + Math.max(rows[index]?.tokens ?? 0, 0), 0)
    const needed = Math.ceil(Math.max(summary + kept, kept / KEPT_SHARE))
    return { kept, budget: Math.min(Math.max(target, needed), total) }
  }
  const marked = await mark(
    {
      title: `what stays, and which tools are removed? (${neutralizeLine(name)}, ${renderCount(total)} tokens)`,
      columns: ['what', right('tokens'), { title: '', shrinkTo: 16 }],
      rows: rows.map(({ cells }) => cells),
      renderSum(chosen) {
        const { kept, budget } = measure(chosen)
        const limit =
          flags.budget === undefined
            ? `at most ${renderCount(budget)} tokens`
            : `within ${flags.budget}`
        return `${renderCount(kept)} tokens stay verbatim, and the result has ${limit}`
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
  if (flags.budget !== undefined || flags.window !== undefined || marked.size === 0) return chosen
  return { ...chosen, budget: String(measure(marked).budget) }
}

async function listRows(name: string, flags: CompressFlags) {
  const { format, model } = flags
  const settings = toSettings(await readConfigured(flags), flags)
  const session = await loadSession(name, format)
  try {
    const counter = await loadTokenCounter(findModel(model ?? session.conversation.model ?? ''))
    if (!counter.isLoaded) await counter.load()
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
      target: findTarget(settings, session.conversation, counter).tokens,
    }
  } finally {
    session.document.close()
  }
}
