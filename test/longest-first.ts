import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Property tests are short files that take long: they start first, so that none of them runs alone
 * at the end. Among the others vitest starts with those that took longest, or else with the largest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isProperty = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').includes("tags: 'property'")
    return [...sorted.filter(isProperty), ...sorted.filter((file) => !isProperty(file))]
  }
}
