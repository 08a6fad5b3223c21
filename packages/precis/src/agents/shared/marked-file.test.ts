import { describe, expect, test } from 'vitest'
import { createMarkedFile, judgeMarkedFile } from './marked-file.ts'

const skill = createMarkedFile('codex', '#', (mark) => `---\nname: precis\n${mark}---\n\nDo it.\n`)
const module = createMarkedFile('pi', '//', (mark) => `${mark}export {}\n`)

describe('a file of precis', () => {
  test('is known by one line, wherever it stands', () => {
    expect(skill).toMatch(
      /^---\nname: precis\n# precis [0-9a-f]{12}: written by "precis install codex", [^\n]*\n---\n/,
    )
    expect(module).toMatch(
      /^\/\/ precis [0-9a-f]{12}: written by "precis install pi", [^\n]*\nexport {}\n$/,
    )
    expect([skill, module].map(judgeMarkedFile)).toEqual(['own', 'own'])
  })

  test.each([
    ['a word', skill.replace('Do it', 'Do that')],
    ['a line', `${skill}And this.\n`],
    ['another mark', skill + skill],
    ['line breaks', skill.replaceAll('\n', '\r\n')],
    ['the hash', skill.replace(/precis [0-9a-f]{12}/, 'precis 000000000000')],
  ])('is the user’s where somebody changed %s', (_, text) => {
    expect(judgeMarkedFile(text)).toBe('edited')
  })

  test.each(['', '---\nname: precis\n---\n', skill.replace(/^# /m, ''), `x ${module}`])(
    'is of another without the line',
    (text) => {
      expect(judgeMarkedFile(text)).toBe('foreign')
    },
  )
})
