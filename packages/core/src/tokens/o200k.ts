/**
 * The public API of `@precis/core/tokens/o200k`.
 *
 * ```ts
 * import { o200k } from '@precis/core/tokens/o200k'
 *
 * console.log(o200k.count('Why does the build fail?'))
 * ```
 */
import { createEncoding } from './encodings/encoding.ts'
import { readPacked } from './encodings/o200k.packed.js'
import { findO200kPieceEnd } from './encodings/pieces.ts'
import { provideEncoding } from './find-encoding.ts'

/**
 * The vocabulary of OpenAI's models from GPT-4o on, on which all estimates are based too. To import
 * it is enough: counts are exact from the first one on.
 */
export const o200k = provideEncoding(createEncoding('o200k_base', readPacked, findO200kPieceEnd))
