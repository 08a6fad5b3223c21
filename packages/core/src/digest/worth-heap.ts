/** A heap of candidates, with the one of the greatest worth at its top. */

import type { Candidate } from './draft.ts'

export interface HeapEntry {
  readonly candidate: Candidate
  worth: number
}

export function insert(heap: HeapEntry[], entry: HeapEntry): void {
  let index = heap.push(entry) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (heap[parent]!.worth >= entry.worth) break
    heap[index] = heap[parent]!
    index = parent
  }
  heap[index] = entry
}

export function sink(heap: HeapEntry[], start: number): void {
  const entry = heap[start]!
  let index = start
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1]!.worth > heap[child]!.worth) child++
    if (heap[child]!.worth <= entry.worth) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = entry
}
