import { InvalidArgumentError } from 'commander'

/** `0.8` or `80%`, of the window. */
export function parseThreshold(text: string): number {
  const [, digits = '', percent] = /^(\d{0,3}\.?\d{0,6})(%?)$/.exec(text.trim()) ?? []
  const share = Number(digits) / (percent ? 100 : 1)
  if (digits !== '' && share > 0 && share <= 1) return share
  throw new InvalidArgumentError('Give a share of the window above 0 and up to 1, as 0.8 or 80%.')
}
