/** What a host is told on the console if it gave no `onProblem`. */

export const NOT_FOLLOWED = 'a request was sent as it was given, because it could not be followed'
export const NOT_KEPT =
  'what a compression made of a conversation was not kept for the next request'

const warned = new Set<string>()

/** Once per process, not once per request. Hosts that need more set `onProblem`. */
export function warnOnce(
  consequence: typeof NOT_FOLLOWED | typeof NOT_KEPT,
  problem: unknown,
): void {
  if (warned.has(consequence)) return
  warned.add(consequence)
  const told = problem instanceof Error ? `${problem.name}: ${problem.message}` : String(problem)
  const found = told.endsWith('.') ? told.slice(0, -1) : told
  console.warn(
    `precis: ${consequence}: ${found}. Give \`onProblem\` to be told every time; this is said once.`,
  )
}
