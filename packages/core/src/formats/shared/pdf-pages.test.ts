import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { measureData } from './media.ts'
import { countPdfPages } from './pdf-pages.ts'

const encode = (text: string) => Buffer.from(text, 'latin1').toString('base64')
const count = (text: string) => countPdfPages(encode(text))
const page = (number: number) => `${number} 0 obj\n<</Type /Page /Parent 2 0 R>>\nendobj\n`
const listPages = (pages: number) =>
  Array.from({ length: pages }, (_, index) => page(index + 3)).join('')
const tree = (pages: number | string) =>
  `2 0 obj << /Type /Pages /Count ${pages} /Kids [3 0 R] >> endobj\n`
const write = (pages: number) => `%PDF-1.4\n${tree(pages)}${listPages(pages)}trailer\n%%EOF`

describe('the pages of a PDF', () => {
  test('are its page objects, wherever they stand in a group of three bytes', () => {
    for (const pages of [1, 2, 3, 140]) expect(count(write(pages))).toBe(pages)
    for (const comment of ['', '%', '%%', '%%%'])
      expect(count(`%PDF-1.4\n${comment}\n${listPages(7)}`)).toBe(7)
  })

  test('are no more than the page tree lists: an edited page is in the file twice', () => {
    expect(count(`${write(60)}\n${listPages(50)}`)).toBe(60)
    expect(count(`%PDF-1.4\n${tree('9 0 R')}${listPages(4)}`)).toBe(4)
  })

  test('are found however a writer spells them, and nothing else is taken for one', () => {
    expect(
      count(
        '%PDF-1.4 <</Type/Page/Parent 2 0 R>> <</Type\n/Page>> <</Type/PageLabel>> <</Type/Pages>> /Page',
      ),
    ).toBe(2)
    expect(count('%PDF-1.4 <</S/Page>> (a /Page of text)')).toBeUndefined()
  })

  test('are read from a linearized header where they are compressed', () => {
    expect(
      count(
        '%PDF-1.5\n1 0 obj<</Linearized 1/L 12345/H[1 2]/O 7/E 99/N 31/T 12000>>endobj\nstream',
      ),
    ).toBe(31)
    expect(count('%PDF-1.5\n1 0 obj<</Type/ObjStm/N 12>>stream')).toBeUndefined()
  })

  test('are read from compressed object streams', () => {
    const stream = (objects: string, number: number) => {
      const data = deflateSync(Buffer.from(objects, 'latin1')).toString('latin1')
      return `${number} 0 obj\n<< /Type /ObjStm /Length ${data.length} /Filter /FlateDecode >>\nstream\r\n${data}\r\nendstream\nendobj\n`
    }
    for (const comment of ['', '%', '%%']) {
      const first = stream(`2 0 3 40 ${tree(90)}${listPages(60)}`, 200)
      const second = stream(listPages(30), 201)
      expect(count(`%PDF-1.5\n${comment}\n${first}${second}`)).toBe(90)
    }
    expect(count(`%PDF-1.5\n${stream(tree(70), 5)}${stream(listPages(90), 6)}`)).toBe(70)
  })

  test('count once in a stream that is stored without compression', () => {
    const data = deflateSync(Buffer.from(listPages(40), 'latin1'), { level: 0 }).toString('latin1')
    const stored = `9 0 obj<</Type/ObjStm/Filter/FlateDecode>>stream\n${data}\nendstream`
    expect(count(`%PDF-1.5\n${listPages(2)}${stored}`)).toBe(42)
  })

  test('are read behind a long dictionary, and from a tree with many kids', () => {
    const data = deflateSync(Buffer.from(listPages(30), 'latin1')).toString('latin1')
    const long = `<</Type/ObjStm/Filter/FlateDecode/Note(${'x'.repeat(3_000)})>>stream\n${data}`
    expect(count(`%PDF-1.5\n9 0 obj${long}\nendstream`)).toBe(30)
    const kids = '/Kids [' + '3 0 R '.repeat(140) + ']'
    const edited = listPages(200)
    expect(count(`%PDF-1.4\n<</Type/Pages ${kids}/Count 140>>${edited}`)).toBe(140)
    expect(count(`%PDF-1.4\n<</Count 140${kids}/Type/Pages>>${edited}`)).toBe(140)
  })

  test('are those of a readable tree where the pages are encrypted', () => {
    expect(count(`%PDF-1.6\n${tree(80)}5 0 obj<</Type/ObjStm/N 90>>stream\n\x93\x02`)).toBe(80)
    expect(count('%PDF-1.6\n5 0 obj<</Type/ObjStm/N 90>>stream\n\x93\x02')).toBeUndefined()
  })

  test('are measured in plain base64, in a data URL and whatever the type is called', () => {
    const data = encode(write(12))
    expect(measureData(data, 'application/pdf')).toMatchObject({ pages: 12 })
    expect(
      measureData(`data:application/pdf;base64,${data}`, 'application/octet-stream'),
    ).toMatchObject({ pages: 12 })
    expect(measureData(data, 'application/octet-stream')).toMatchObject({ pages: 12 })
    expect(measureData(encode('plain text about /Type /Page'), 'text/plain')).not.toHaveProperty(
      'pages',
    )
  })

  test('are a small number or unknown for any bytes', { tags: 'property' }, () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.array(fc.constantFrom(page(1), tree(3), '/Page', '/Pages')),
        (bytes, parts) => {
          const text = `%PDF-${Buffer.from(bytes).toString('latin1')}${parts.join('')}`
          const pages = count(text)
          expect(pages === undefined || (pages >= 0 && pages <= text.length)).toBe(true)
        },
      ),
    )
  })
})
