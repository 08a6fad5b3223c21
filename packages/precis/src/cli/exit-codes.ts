/** What the shell is told; documented in every command's help. */
export const exitCodes = {
  done: 0,
  failed: 1,
  wrongUsage: 2,
  cannotFit: 3,
  invalidInput: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
