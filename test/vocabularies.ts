/**
 * Tests count as hosts do that load both vocabularies at the start; tests of loading import the
 * modules anew.
 */
import '../packages/core/src/tokens/cl100k.ts'
import '../packages/core/src/tokens/o200k.ts'
