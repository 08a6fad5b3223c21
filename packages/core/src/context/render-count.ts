/** Tokens and the like for the person: `12,345`. */
export function renderCount(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
