import { InvalidArgumentError } from 'commander'

/** Reads a whole number from 1 to `most`. */
export function createLimitParser(most: number): (text: string) => number {
  return (text) => {
    const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (limit >= 1 && limit <= most) return limit
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`)
  }
}
