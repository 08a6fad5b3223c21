import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ConfigurationFlags, readConfiguration } from './read-configuration.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'precis-configuration-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: unknown): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const read = (flags: ConfigurationFlags = {}, environment = {}, folder = 'project') =>
  readConfiguration(join(root, folder), flags, { environment, userFolder: join(root, 'user') })

describe('readConfiguration', () => {
  test('nothing said is the digest and no more', async () => {
    expect(await read()).toEqual({ summarizer: { name: 'digest' }, files: [] })
  })

  test('the project is weaker than the user, the user than the environment, that than a flag', async () => {
    const project = write('project/precis.config.json', { budget: '10%', strategy: 'middle-out' })
    expect(await read()).toMatchObject({ budget: '10%', strategy: 'middle-out', files: [project] })
    const user = write('user/config.json', { budget: 20_000 })
    expect(await read()).toMatchObject({ budget: '20000', strategy: 'middle-out', files: [project, user] })
    const environment = { PRECIS_BUDGET: '30%' }
    expect(await read({}, environment)).toMatchObject({ budget: '30%' })
    expect(await read({ budget: '40%' }, environment)).toMatchObject({ budget: '40%', strategy: 'middle-out' })
  })

  test.each([
    ['precis.config.json', { budget: '11%' }],
    ['precis.config.ts', "const budget: string = '11%'\nexport default { budget }"],
    ['precis.config.js', "module.exports = { budget: '11%' }"],
    ['precis.config.mjs', "export default { budget: '11%' }"],
    ['package.json', { name: 'x', precis: { budget: '11%' } }],
  ])('%s is read', async (name, content) => {
    write(`project/${name}`, content)
    expect((await read()).budget).toBe('11%')
  })

  test('a file is found from any folder of its repository, and not above it', async () => {
    write('precis.config.json', { budget: '1%' })
    mkdirSync(join(root, 'project', 'deep', 'folder'), { recursive: true })
    expect((await read({}, {}, 'project/deep')).budget).toBeUndefined()
    mkdirSync(join(root, 'project', '.git'))
    write('project/precis.config.json', { budget: '2%' })
    expect((await read({}, {}, 'project/deep/folder')).budget).toBe('2%')
    rmSync(join(root, 'project/precis.config.json'))
    expect((await read({}, {}, 'project/deep/folder')).budget).toBeUndefined()
  })

  test('a package.json that is broken or says nothing is passed over', async () => {
    write('project/package.json', '{ "name": ')
    expect(await read()).toMatchObject({ files: [] })
    write('project/package.json', { name: 'x' })
    expect(await read()).toMatchObject({ files: [] })
  })

  test('a summarizer is a name or a profile, and another name starts anew', async () => {
    const local = { name: 'openai-compatible/llama3', baseUrl: 'http://127.0.0.1:11434/v1', maxInFlight: 2 }
    write('user/config.json', { summarizer: local })
    expect((await read()).summarizer).toEqual(local)
    expect((await read({ summarizer: 'anthropic/claude-haiku-4-5' })).summarizer).toEqual({
      name: 'anthropic/claude-haiku-4-5',
    })
    expect((await read({ baseUrl: 'https://example.com/v1' })).summarizer).toEqual({
      ...local,
      baseUrl: 'https://example.com/v1',
    })
  })

  test('paths in a file are seen from that file', async () => {
    write('user/config.json', { summarizer: { name: 'openai/x', keyFile: 'key', promptsFolder: './prompts' } })
    expect((await read()).summarizer).toMatchObject({
      keyFile: join(root, 'user', 'key'),
      promptsFolder: join(root, 'user', 'prompts'),
    })
  })

  test('a chat is laid over another, and another model starts anew with what belongs to it', async () => {
    write('user/config.json', {
      chat: { model: 'openai/gpt-5.4', keyFile: 'key', windowTokens: 9000, strategy: 'auto' },
    })
    expect((await read()).chat).toEqual({
      model: 'openai/gpt-5.4',
      keyFile: join(root, 'user/key'),
      windowTokens: 9000,
      strategy: 'auto',
    })
    rmSync(join(root, 'user'), { recursive: true })
    write('project/precis.config.json', { chat: { model: 'openai/gpt-5.4', windowTokens: 9000, strategy: 'auto' } })
    write('user/config.json', { chat: { model: 'anthropic/claude-opus-4-8' } })
    expect((await read()).chat).toEqual({ model: 'anthropic/claude-opus-4-8', strategy: 'auto' })
    write('user/config.json', { chat: { summarizer: 'digest' } })
    expect((await read()).chat).toEqual({
      model: 'openai/gpt-5.4',
      windowTokens: 9000,
      strategy: 'auto',
      summarizer: 'digest',
    })
  })

  test.each([
    [{ model: 7 }, /"chat\.model" is 7; give a text/],
    [{ modle: 'x' }, /unknown key "chat\.modle"\. Known here: model, strategy, summarizer/],
    [{ windowTokens: 10 }, /"chat\.windowTokens" is 10; give a whole number/],
    ['x', /"chat" is "x"; give an object with a "model"/],
    [{ baseUrl: 'https://elsewhere.example/v1' }, /"chat\.baseUrl" decides where your key/],
    [{ keyFile: 'key' }, /"chat\.keyFile" decides where your key/],
  ])('a chat of %j is refused in the file of a project', async (chat, message) => {
    write('project/precis.config.json', { chat })
    await expect(read()).rejects.toThrow(message)
  })

  test('what is kept is a share or a measure', async () => {
    write('project/precis.config.json', { keep: { head: 0.1, tail: { turns: 3 } } })
    write('user/config.json', { keep: { head: { tokens: 500 } } })
    expect((await read()).keep).toEqual({ head: { tokens: 500 }, tail: { turns: 3 } })
  })

  test('what is said of the archive in several places is put together, and false alone is a shorter way to say it', async () => {
    write('project/precis.config.json', { archive: { quotaMegabytes: 50 } })
    write('user/config.json', { archive: false })
    expect((await read()).archive).toEqual({ enabled: false, quotaMegabytes: 50 })
  })

  test('where the archive is says the flag, else the environment, else the user, else the project', async () => {
    write('project/precis.config.json', { archive: { database: 'kept/archive.db' } })
    expect((await read()).archive).toEqual({ database: join(root, 'project/kept/archive.db') })
    write('user/config.json', { archive: { database: 'postgres://me@server/precis', quotaMegabytes: 9 } })
    expect((await read()).archive).toEqual({ database: 'postgres://me@server/precis', quotaMegabytes: 9 })
    const environment = { PRECIS_DATABASE: '/env.db' }
    expect((await read({}, environment)).archive).toEqual({ database: '/env.db', quotaMegabytes: 9 })
    expect((await read({ database: 'flag.db' }, environment)).archive?.database).toBe('flag.db')
  })

  test.each(['postgres://me@server/precis', 'POSTGRESQL://server/x', 'mysql://server/x'])(
    'a project may not send originals to %s',
    async (database) => {
      write('project/precis.config.json', { archive: { database } })
      const error: unknown = await read().catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        message: expect.stringContaining('"archive.database" decides where your sessions go'),
      })
      expect(String(error)).not.toContain(database)
    },
  )

  test('an address where none belongs is told without its password', async () => {
    write('user/config.json', { archive: 'postgres://me:pa:ss/w@rd@server/precis' })
    const error: unknown = await read().catch((reason: unknown) => reason)
    expect(String(error)).toContain('"archive" is "postgres://…@server/precis"')
  })
})

describe('a configuration that cannot be', () => {
  test.each([
    [{ strategie: 'auto' }, /unknown key "strategie"\. Known here: strategy, budget, summarizer, keep/],
    [{ summarizer: { name: 'openai/x', url: 'y' } }, /unknown key "summarizer.url".*baseUrl/],
    [{ strategy: 'best' }, /"strategy" is "best"; give one of auto, /],
    [{ budget: '50 percent' }, /"budget" is "50 percent"; give tokens/],
    [{ budget: true }, /"budget" is true/],
    [
      { summarizer: { name: 'openai/x', maxInFlight: 0 } },
      /"summarizer.maxInFlight" is 0; give a whole number from 1 to 200/,
    ],
    [{ summarizer: { name: 'openai/x', baseUrl: 'ftp://x' } }, /"summarizer.baseUrl" is "ftp:\/\/x"; give an address/],
    [{ summarizer: 3 }, /"summarizer" is 3; give a name/],
    [{ keep: { head: 2 } }, /"keep.head" is 2/],
    [{ archive: { quotaMegabytes: 0 } }, /archive/],
    [{ archive: 'no' }, /"archive" is "no"; give true, false/],
    [{ keep: { head: { tonnes: 2 } } }, /"keep.head" is {"tonnes":2}; give a share/],
    [[], /In ".*config.json": the configuration is \[\]; give an object/],
    ['{ "budget": }', /Reading the configuration ".*config.json": .*JSON/],
  ])('%j is refused with its place', async (content, message) => {
    const path = write('project/precis.config.json', content)
    const error: unknown = await read().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid-configuration', message: expect.stringMatching(message) })
    expect(error).toMatchObject({ message: expect.stringContaining(path) })
  })

  test('a variable is refused with its name', async () => {
    await expect(read({}, { PRECIS_BUDGET: 'much' })).rejects.toThrow(/PRECIS_BUDGET.*"much"/)
  })

  test('code that fails is refused with its file', async () => {
    write('project/precis.config.ts', "throw new Error('no luck')")
    await expect(read()).rejects.toThrow(/precis\.config\.ts": no luck/)
  })

  test('a key named __proto__ changes nothing', async () => {
    write('project/precis.config.json', '{ "__proto__": { "budget": "1%" }, "strategy": "middle-out" }')
    const configuration = await read().catch(() => ({ budget: undefined }))
    expect(configuration.budget).toBeUndefined()
  })

  test.each([
    { name: 'openai/x', baseUrl: 'https://evil.example/v1' },
    { baseUrl: 'http://169.254.169.254/v1' },
    { name: 'openai/x', keyFile: '/home/me/.ssh/id_ed25519' },
  ])('a project may not say where keys and sessions go: %j', async (summarizer) => {
    write('project/precis.config.json', { summarizer })
    await expect(read()).rejects.toThrow(/the file of a project may not set it/)
    write('user/config.json', { summarizer: { name: 'openai/x', ...summarizer } })
    rmSync(join(root, 'project'), { recursive: true })
    mkdirSync(join(root, 'project'))
    expect((await read()).summarizer).toMatchObject(summarizer)
  })
})
