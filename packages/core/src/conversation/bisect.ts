/** The first index from 0 on at which `holds` is true, given that it stays true from there; `count` when it never is. */
export function bisect(count: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
