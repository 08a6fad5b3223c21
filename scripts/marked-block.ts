/**
 * What a script writes into a page stands between two marks: `<!-- name: written by … -->` and
 * `<!-- /name -->`.
 */
export interface MarkedBlock {
  readonly name: string
  /** The file that writes it, from the root of the repository. */
  readonly script: string
  /** Of the page, for the error. */
  readonly path: string
}

/** The page with this text in its block. Throws where the marks are missing. */
export function replaceBlock(
  page: string,
  text: string,
  { name, script, path }: MarkedBlock,
): string {
  const opening = `<!-- ${name}: written by ${script} -->`
  const closing = `<!-- /${name} -->`
  const start = page.indexOf(opening)
  const end = page.indexOf(closing)
  if (start < 0 || end < start) {
    throw new Error(
      `Building "${path}": the marks are missing. Put "${opening}" and "${closing}" where it goes.`,
    )
  }
  return `${page.slice(0, start)}${opening}\n\n${text}\n\n${page.slice(end)}`
}

/** A page as it is and as the code says it has to be. */
export interface BuiltPage {
  readonly path: string
  readonly current: string
  readonly built: string
}
