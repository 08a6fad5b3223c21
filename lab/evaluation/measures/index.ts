import { carriedReferences } from './carried-references.ts'
import { commands } from './commands.ts'
import { constraints } from './constraints.ts'
import { editAnchors } from './edit-anchors.ts'
import { errors } from './errors.ts'
import { faithfulness } from './faithfulness.ts'
import { fileOperations } from './file-operations.ts'
import type { Measure } from './measure.ts'
import { rareReferences } from './rare-references.ts'
import { readFiles } from './read-files.ts'
import { staleness } from './staleness.ts'
import { writtenFiles } from './written-files.ts'

/** Every measure of a compressed context, in the order in which they are shown. */
export const measures: readonly Measure[] = [
  carriedReferences,
  rareReferences,
  editAnchors,
  commands,
  writtenFiles,
  fileOperations,
  readFiles,
  constraints,
  errors,
  faithfulness,
  staleness,
]
