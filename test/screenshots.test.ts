import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { outputs, pages, screens } from '../scripts/make-screenshots.ts'

const root = resolve(import.meta.dirname, '..')
const images = join(root, 'docs/images')
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (path) => `docs/${path}`,
  ),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => readFileSync(join(root, path), 'utf8'))

describe('pictures of the docs', () => {
  test('are those that the script makes', () => {
    expect(readdirSync(images).sort()).toEqual(
      [...Object.keys(pages), ...Object.keys(outputs), ...Object.keys(screens)].sort(),
    )
  })

  test('are all shown in a document', () => {
    const unused = readdirSync(images).filter(
      (name) => !documents.some((text) => text.includes(`images/${name})`)),
    )
    expect(unused).toEqual([])
  })

  test('have less than a megabyte together', () => {
    const bytes = readdirSync(images).reduce(
      (sum, name) => sum + statSync(join(images, name)).size,
      0,
    )
    expect(bytes).toBeLessThan(1_000_000)
  })
})
