import { createOpencodeAgent } from './create-opencode-agent.ts'
import { headless } from './headless.ts'
import { OPENCODE_PRODUCT } from './product.ts'
import { wire } from './wire.ts'

/** Rows of `~/.local/share/opencode/opencode.db`, or files in `storage` in older versions. */
export const opencode = createOpencodeAgent(OPENCODE_PRODUCT, { headless, wire })
