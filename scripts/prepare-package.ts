/** Run by npm in the folder of a package, before it is built and packed. */
import { copyFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

// What a build leaves of sources that are gone would be packed too.
for (const output of ['dist', 'tsconfig.tsbuildinfo'])
  rmSync(output, { recursive: true, force: true })
copyFileSync(resolve(import.meta.dirname, '../LICENSE'), 'LICENSE')
