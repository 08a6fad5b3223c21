import type { Entity } from '../../../packages/precis/src/replay/entities.ts'
import { generalKnowledge } from './general-knowledge.data.ts'

const KNOWN = new Set(
  Object.entries(generalKnowledge).flatMap(([kind, names]) =>
    names.split(/\s+/).map((name) => `${kind}\t${name}`),
  ),
)

/**
 * Whether a model knows the name without having seen this project: README.md, --oneline, OpenAI.
 */
export function isGeneralKnowledge(entity: Entity): boolean {
  return KNOWN.has(entity)
}
