import { expect, test } from 'vitest'
import { measureData } from './media.ts'

test('bytes are counted from the length of the base64, padding left out', () => {
  for (const bytes of [0, 1, 2, 3, 4, 100]) {
    const base64 = Buffer.alloc(bytes).toString('base64')
    expect(measureData(base64, 'text/plain').bytes).toBe(bytes)
    expect(measureData(`data:text/html;base64,${base64}`, 'text/plain')).toEqual({
      mediaType: 'text/html',
      bytes,
    })
  }
})

test('a reference has no bytes', () => {
  expect(measureData('https://example.org/a.png', 'image/*')).toEqual({
    mediaType: 'image/*',
    bytes: 0,
  })
  expect(measureData(undefined, 'image/*')).toEqual({ mediaType: 'image/*', bytes: 0 })
  expect(measureData('data:image/png', 'image/*')).toEqual({ mediaType: 'image/png', bytes: 0 })
})
