import type { Colors } from '../../terminal/render.ts'
import type { Style } from '../../terminal/spans.ts'
import type { ContentKind } from './content-kinds.ts'

/** One colour for each meaning; without colours every style leaves text as it is. */
export interface Palette {
  readonly colors: Colors
  readonly hasColors: boolean
  readonly kinds: Readonly<Record<ContentKind, Style>>
  readonly prompt: Style
  readonly quiet: Style
  readonly strong: Style
  readonly good: Style
  readonly bad: Style
  readonly warning: Style
  readonly accent: Style
}

export function createPalette(colors: Colors): Palette {
  return {
    colors,
    hasColors: colors.isColorSupported,
    kinds: {
      system: colors.blue,
      requests: colors.green,
      answers: colors.cyan,
      reasoning: colors.magenta,
      tools: colors.yellow,
      summary: colors.white,
    },
    prompt: (text) => colors.bold(colors.green(text)),
    quiet: colors.dim,
    strong: colors.bold,
    good: colors.green,
    bad: colors.red,
    warning: colors.yellow,
    accent: colors.cyan,
  }
}
