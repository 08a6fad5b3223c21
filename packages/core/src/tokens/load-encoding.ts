import type { Encoding, EncodingName } from './encodings/encoding.ts'
import { findEncoding, provideEncoding } from './find-encoding.ts'

/**
 * Loads a vocabulary once. Rejects with `Error` if the host cannot load a part of its own bundle.
 */
export async function loadEncoding(name: EncodingName): Promise<Encoding> {
  const known = findEncoding(name)
  if (known) return known
  try {
    // By what they export: a bundler may take them for modules that do nothing else.
    return provideEncoding(
      name === 'o200k_base'
        ? (await import('./o200k.ts')).o200k
        : (await import('./cl100k.ts')).cl100k,
    )
  } catch (cause) {
    const entry = `@precis/core/tokens/${name.replace('_base', '')}`
    throw new Error(
      `Loading the vocabulary ${name}: ${cause instanceof Error ? cause.message : String(cause)}. Where a bundle cannot load its own parts, import "${entry}" beside what you import of precis.`,
      { cause },
    )
  }
}
