/** What several said of a summary, a line each; nothing where nobody said anything. */
export function joinInstructions(...instructions: readonly (string | undefined)[]): { readonly instructions?: string } {
  const given = instructions.filter((text) => text !== undefined && text.trim() !== '')
  return given.length === 0 ? {} : { instructions: given.join('\n') }
}
