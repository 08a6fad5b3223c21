/**
 * The public API of `@precis/core/tokens/cl100k`.
 *
 * ```ts
 * import { cl100k } from '@precis/core/tokens/cl100k'
 *
 * console.log(cl100k.count('Why does the build fail?'))
 * ```
 */
import { readPacked } from './encodings/cl100k.packed.js'
import { createEncoding } from './encodings/encoding.ts'
import { findCl100kPieceEnd } from './encodings/pieces.ts'
import { provideEncoding } from './find-encoding.ts'

/**
 * The vocabulary of GPT-4 and GPT-3.5. To import it is enough: counts are exact from the first one
 * on.
 */
export const cl100k = provideEncoding(createEncoding('cl100k_base', readPacked, findCl100kPieceEnd))
