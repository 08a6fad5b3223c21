/**
 * The public API of `@precis/core/hosts`: compactions that a host asks for, inside its own process
 * or on the wire.
 */

export {
  type CompactionCounts,
  type CompactionOptions,
  compactHistory,
  countCompaction,
  type HostCompaction,
} from './compact-history.ts'
