import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EntityKind, scanEntities } from './entities.ts'

function scan(text: string): [EntityKind, string][] {
  const found: [EntityKind, string][] = []
  scanEntities(text, (kind, name) => found.push([kind, name]))
  return found
}

describe('scanEntities', () => {
  test.each<[string, EntityKind, string]>([
    ['see src/engine/ladder.ts:36 for it', 'path', 'src/engine/ladder.ts'],
    ['see go.mod.', 'path', 'go.mod'],
    ['in /usr/local/bin/', 'path', '/usr/local/bin'],
    ['calls getUserName()', 'identifier', 'getUserName'],
    ['a max_pack_bytes limit', 'identifier', 'max_pack_bytes'],
    ['use sha256 here', 'identifier', 'sha256'],
    ['pass --all-files please', 'identifier', '--all-files'],
    ['fixes #1234', 'identifier', '#1234'],
    ['fixes ABC-12', 'identifier', 'ABC-12'],
    ['open https://example.com/a?b=1.', 'url', 'https://example.com/a?b=1'],
    ['at commit 210246d now', 'commit', '210246d'],
    ['bump to v6.0.0-alpha.3', 'version', 'v6.0.0-alpha.3'],
    ['lodash  4.17.20  4.17.21  5.0.0', 'version', '4.17.21'],
    ['within 30s', 'number-with-unit', '30s'],
    ['"{\\n\\tgetUserName()"', 'identifier', 'getUserName'],
    ['README.md\\nCHANGELOG.md', 'path', 'CHANGELOG.md'],
    ['a/client_test.go\\nclient.go', 'path', 'client.go'],
    ['/work/git-sync\\nCHANGELOG.md', 'path', 'CHANGELOG.md'],
    ['in C:\\notes\\new\\nCHANGELOG.md', 'path', 'nCHANGELOG.md'],
    ['in src\\new.ts', 'path', 'new.ts'],
    ['-- START\\ncmd/explain.go', 'path', 'cmd/explain.go'],
    ['grep "\\bPushObjects"', 'identifier', 'PushObjects'],
    ['in src\\buildTools\\a.ts', 'identifier', 'buildTools'],
    ['\\u003csourceSet', 'identifier', 'sourceSet'],
    ['| https://a.example/b|', 'url', 'https://a.example/b'],
    ['uses 512 MB of it', 'number-with-unit', '512 MB'],
    ['at 80% load', 'number-with-unit', '80%'],
    ['listens on 8443', 'number-with-unit', '8443'],
  ])('%s holds the %s %s', (text, kind, name) => {
    expect(scan(text)).toContainEqual([kind, name])
  })

  test.each([
    'and/or',
    'either way',
    'a.b',
    '1.5',
    'Hello, world',
    '--',
    '//',
    '____',
    'e.g. this',
    '#1e1e2e',
    '#0066cc',
    'c.405.394 1.17.657 1.995',
    'l.2 2.33.127.578-.322.455-.34',
  ])('%s holds nothing', (text) => {
    expect(scan(text)).toEqual([])
  })

  test.each<[string, EntityKind[]]>([
    ['cli/agent/gemini_test.go', ['path']],
    ['github.com/spf13/cobra', ['path']],
    ['pkg/my_words/doc', ['path', 'identifier']],
    ['getName/setName', ['identifier', 'identifier']],
    ['fileList.log(x)', ['path', 'identifier']],
  ])('%s holds %j: words of a file or a package are no names by themselves', (text, kinds) => {
    expect(scan(text).map(([kind]) => kind)).toEqual(kinds)
  })

  test('what it finds stands in the text', { tags: 'property' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) =>
        scan(text).every(([, name]) => text.includes(name)),
      ),
    )
  })

  test('a megabyte of any one character is scanned at once', { tags: 'slow' }, () => {
    for (const character of 'a_A0./-@:#%+~ ')
      expect(scan(character.repeat(1_000_000)).length).toBeLessThan(3)
  })
})
