import { expect, test } from 'vitest'
import { cutWords } from './locate-facts.ts'

test('a path is looked up by the name of its file, never by the extension alone', () => {
  const path = 'cmd/entire/cli/integration_test/concurrent_session_warning_test.go'
  expect(cutWords(path, 24)).toBe(path)
  expect(cutWords(path, 48)).toBe('concurrent_session_warning_test.go')
  expect(cutWords('packages/core/src/a/b/c.ts', 24)).toBe('core/src/a/b/c.ts')
})
