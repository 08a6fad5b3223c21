/** Whether both hold the very same values in the same order: what nobody edited goes out as it came in. */
export function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index])
}

/** The original itself when it is a list of the same values. */
export function keepSameList(values: readonly unknown[], original: unknown): unknown {
  return Array.isArray(original) && isSameList(values, original) ? original : values
}
