/** Random numbers that are the same on every machine. Matsumoto and Nishimura 1998, mt19937ar. */

const STATE_WORDS = 624
const SHIFT_WORDS = 397

export interface Random {
  /** A whole number from 0 up to, but without, `limit`. */
  below(limit: number): number
}

/**
 * The numbers that Python's `random.Random(seed)` gives, so that the reference scorer draws the
 * same lines.
 */
export function createRandom(seed: number): Random {
  const state = createState(seed)
  let position = STATE_WORDS
  const next = (): number => {
    if (position >= STATE_WORDS) {
      twist(state)
      position = 0
    }
    let word = state[position++] ?? 0
    word ^= word >>> 11
    word ^= (word << 7) & 0x9d2c5680
    word ^= (word << 15) & 0xefc60000
    return (word ^ (word >>> 18)) >>> 0
  }
  return {
    below(limit) {
      const bits = 32 - Math.clz32(limit)
      for (;;) {
        const drawn = next() >>> (32 - bits)
        if (drawn < limit) return drawn
      }
    },
  }
}

function createState(seed: number): Uint32Array {
  const state = new Uint32Array(STATE_WORDS)
  state[0] = 19_650_218
  for (let index = 1; index < STATE_WORDS; index++)
    state[index] = Math.imul(1_812_433_253, mixed(state, index)) + index
  let index = 1
  const step = (factor: number, added: number) => {
    state[index] = ((state[index] ?? 0) ^ Math.imul(mixed(state, index), factor)) + added
    if (++index < STATE_WORDS) return
    state[0] = state[STATE_WORDS - 1] ?? 0
    index = 1
  }
  for (let count = 0; count < STATE_WORDS; count++) step(1_664_525, seed)
  for (let count = 1; count < STATE_WORDS; count++) step(1_566_083_941, -index)
  state[0] = 0x80000000
  return state
}

function mixed(state: Uint32Array, index: number): number {
  const before = state[index - 1] ?? 0
  return before ^ (before >>> 30)
}

function twist(state: Uint32Array): void {
  for (let index = 0; index < STATE_WORDS; index++) {
    const high = (state[index] ?? 0) & 0x80000000
    const low = (state[(index + 1) % STATE_WORDS] ?? 0) & 0x7fffffff
    const word = high | low
    const odd = word & 1 ? 0x9908b0df : 0
    state[index] = (state[(index + SHIFT_WORDS) % STATE_WORDS] ?? 0) ^ (word >>> 1) ^ odd
  }
}

/** In place; every order is as likely as any other. */
export function shuffle<T>(values: T[], random: Random): void {
  for (let index = values.length - 1; index > 0; index--) {
    const other = random.below(index + 1)
    const [a, b] = [values[index], values[other]]
    if (a === undefined || b === undefined) continue
    values[index] = b
    values[other] = a
  }
}
