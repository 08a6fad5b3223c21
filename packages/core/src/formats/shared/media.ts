import type { MediaPart } from '../../conversation/message.ts'
import { type ByteAt, encodeBase64, openBase64 } from './base64.ts'
import { isJsonObject, type JsonObject, readMember } from './json.ts'
import { countPdfPages, isPdf } from './pdf-pages.ts'
import { findProviderBlock } from './records.ts'

const LONGEST_HEADER = 256

type Measures = Pick<MediaPart, 'mediaType' | 'bytes' | 'width' | 'height' | 'pages'>

/**
 * Measures a data URL or plain base64 without decoding it. 0 bytes for a reference to data
 * elsewhere.
 */
export function measureData(data: unknown, fallbackType: string): Measures {
  if (typeof data !== 'string') return { mediaType: fallbackType, bytes: 0 }
  const head = data.slice(0, LONGEST_HEADER)
  if (!head.startsWith('data:')) {
    if (head.includes('://')) return { mediaType: fallbackType, bytes: 0 }
    return {
      mediaType: fallbackType,
      bytes: countBase64Bytes(data, 0),
      ...readSize(data, fallbackType, 0),
    }
  }
  const comma = head.indexOf(',')
  const declared = head.slice('data:'.length, comma < 0 ? undefined : comma).split(';', 1)[0]
  const mediaType = declared || fallbackType
  if (comma < 0) return { mediaType, bytes: 0 }
  return {
    mediaType,
    bytes: countBase64Bytes(data, comma + 1),
    ...readSize(data, mediaType, comma + 1),
  }
}

export function measureBytes(bytes: Uint8Array, mediaType: string): Measures {
  const isDocument = mediaType === 'application/pdf'
  const isRead = isDocument || mediaType.startsWith('image/')
  const encoded = isRead ? encodeBase64(bytes, isDocument ? bytes.length : HEADER_BYTES) : ''
  return { mediaType, bytes: bytes.byteLength, ...readSize(encoded, mediaType, 0) }
}

export function toMediaPart(measures: Measures, native: unknown): MediaPart {
  return { type: measures.mediaType.startsWith('image/') ? 'image' : 'file', ...measures, native }
}

// Divisible by three, so that no padding is needed. Most headers contain the size much earlier.
const HEADER_BYTES = 3 << 15

/**
 * The pixels of an image, or the pages of a PDF. The first bytes identify a PDF, whatever its type
 * is.
 */
function readSize(
  data: string,
  mediaType: string,
  start: number,
): Pick<MediaPart, 'width' | 'height' | 'pages'> {
  if (mediaType.startsWith('image/')) return readImageSize(data) ?? {}
  const pages = isPdf(data, start) ? countPdfPages(data, start) : undefined
  return pages === undefined ? {} : { pages }
}

function countBase64Bytes(data: string, start: number): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((data.length - start) * 3) / 4) - padding)
}

/**
 * Finds the data of an image or a file in the native part of any format, to carry it to another.
 */
export interface MediaSource {
  /** Base64 without a header, or a URL. */
  readonly data: string
  readonly isReference: boolean
  readonly mediaType?: string
  readonly filename?: string
}

/** Undefined for media that a provider stores under an id, and for a `native` without media. */
export function findMediaSource(native: unknown): MediaSource | undefined {
  const block = findProviderBlock(native)
  if (!isJsonObject(block)) return undefined
  return readAnthropic(block) ?? readGemini(block) ?? readPi(block) ?? readOpenai(block)
}

export function toUrl({ data, isReference }: MediaSource, mediaType: string): string {
  return isReference ? data : `data:${mediaType};base64,${data}`
}

function readAnthropic({ source, title }: JsonObject): MediaSource | undefined {
  if (!isJsonObject(source)) return undefined
  const mediaType = typeof source.media_type === 'string' ? source.media_type : undefined
  const found =
    source.type === 'base64' ? fromData(source.data, mediaType) : fromUrl(source.url, mediaType)
  return withName(found, title)
}

function readGemini(block: JsonObject): MediaSource | undefined {
  const inline = block.inlineData ?? block.inline_data
  if (isJsonObject(inline)) {
    return withName(fromData(inline.data, inline.mimeType ?? inline.mime_type), inline.displayName)
  }
  const file = block.fileData ?? block.file_data
  return isJsonObject(file)
    ? fromUrl(file.fileUri ?? file.file_uri, file.mimeType ?? file.mime_type)
    : undefined
}

/** The shape of pi, in which MCP servers return images too, and of Cline. */
function readPi({
  type,
  data,
  mimeType,
  mediaType = mimeType,
}: JsonObject): MediaSource | undefined {
  return type === 'image' ? fromData(data, mediaType) : undefined
}

function readOpenai(block: JsonObject): MediaSource | undefined {
  switch (block.type) {
    case 'image_url':
    case 'input_image':
    case 'computer_screenshot':
      return fromUrl(readMember(block.image_url, 'url') ?? block.image_url, 'image/*')
    case 'input_audio': {
      const format = readMember(block.input_audio, 'format')
      return fromData(
        readMember(block.input_audio, 'data'),
        `audio/${typeof format === 'string' ? format : '*'}`,
      )
    }
    case 'file':
    case 'input_file': {
      const file = isJsonObject(block.file) ? block.file : block
      // OpenCode has its own names for the same.
      return withName(
        fromUrl(file.file_data ?? file.file_url ?? file.url, file.mime),
        file.filename,
      )
    }
    default:
      return undefined
  }
}

function fromData(data: unknown, mediaType: unknown): MediaSource | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  return {
    data,
    isReference: false,
    mediaType: typeof mediaType === 'string' ? mediaType : undefined,
  }
}

//   data:image/png;base64,iVBOR…      https://…
function fromUrl(url: unknown, mediaType: unknown): MediaSource | undefined {
  if (typeof url !== 'string' || url === '') return undefined
  if (!url.startsWith('data:')) {
    return {
      data: url,
      isReference: true,
      mediaType: typeof mediaType === 'string' ? mediaType : undefined,
    }
  }
  const comma = url.indexOf(',')
  const [declared] = url.slice('data:'.length, Math.max(comma, 0)).split(';', 1)
  return comma < 0 ? undefined : fromData(url.slice(comma + 1), declared || mediaType)
}

function withName(source: MediaSource | undefined, filename: unknown): MediaSource | undefined {
  return source && typeof filename === 'string' ? { ...source, filename } : source
}

type ImageSize = Required<Pick<MediaPart, 'width' | 'height'>>

// Before its size, a JPEG may contain a thumbnail and a color profile, at most 64 kB a segment.
const LONGEST_HEADER_BYTES = 1 << 20
const LONGEST_DATA_URL_PREFIX = 200
const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n'

/**
 * Reads the pixel size of a PNG, JPEG, GIF or WebP from its header, without decoding the data.
 * Accepts plain base64 or a data URL. Undefined for anything else, for a cut or corrupt header and
 * for a size of zero.
 */
export function readImageSize(base64: string): ImageSize | undefined {
  const start = base64.slice(0, LONGEST_DATA_URL_PREFIX).indexOf(',') + 1
  const byteAt = openBase64(base64, start, LONGEST_HEADER_BYTES)
  const size = readPng(byteAt) ?? readJpeg(byteAt) ?? readGif(byteAt) ?? readWebp(byteAt)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

//   0         8        12      16      20
//   signature length   IHDR    width   height     (big-endian)
function readPng(byteAt: ByteAt): ImageSize | undefined {
  if (!spells(byteAt, 0, PNG_SIGNATURE) || !spells(byteAt, 12, 'IHDR')) return undefined
  return sizeOf(bigEndian(byteAt, 16, 4), bigEndian(byteAt, 20, 4))
}

//   FF D8   FF E0 length …   FF E1 length …   FF C0 length precision height width
function readJpeg(byteAt: ByteAt): ImageSize | undefined {
  if (bigEndian(byteAt, 0, 2) !== 0xffd8) return undefined
  for (let at = 2; byteAt(at) === 0xff; ) {
    const marker = byteAt(at + 1)
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (isStartOfFrame(marker))
      return sizeOf(bigEndian(byteAt, at + 7, 2), bigEndian(byteAt, at + 5, 2))
    else {
      const length = bigEndian(byteAt, at + 2, 2)
      // The scan and the end come after the frame. A length counts its own two bytes.
      if (marker === 0xda || marker === 0xd9 || !(length >= 2)) return undefined
      at += 2 + length
    }
  }
  return undefined
}

function isStartOfFrame(marker: number): boolean {
  return marker >> 4 === 0xc && ![0xc4, 0xc8, 0xcc].includes(marker)
}

function readGif(byteAt: ByteAt): ImageSize | undefined {
  if (!spells(byteAt, 0, 'GIF87a') && !spells(byteAt, 0, 'GIF89a')) return undefined
  return sizeOf(littleEndian(byteAt, 6, 2), littleEndian(byteAt, 8, 2))
}

//   0    4     8     12    16    20
//   RIFF size  WEBP  kind  size  lossy: 3 bytes, 9D 01 2A, 14 bits width, 14 bits height
//                                lossless: 2F, 14 bits width − 1, 14 bits height − 1
//                                extended: 4 bytes, 24 bits width − 1, 24 bits height − 1
function readWebp(byteAt: ByteAt): ImageSize | undefined {
  if (!spells(byteAt, 0, 'RIFF') || !spells(byteAt, 8, 'WEBP')) return undefined
  if (spells(byteAt, 12, 'VP8 ') && bigEndian(byteAt, 23, 3) === 0x9d012a) {
    return sizeOf(littleEndian(byteAt, 26, 2) % 0x4000, littleEndian(byteAt, 28, 2) % 0x4000)
  }
  if (spells(byteAt, 12, 'VP8L') && byteAt(20) === 0x2f) {
    const bits = littleEndian(byteAt, 21, 4)
    return sizeOf((bits % 0x4000) + 1, (Math.floor(bits / 0x4000) % 0x4000) + 1)
  }
  if (spells(byteAt, 12, 'VP8X'))
    return sizeOf(littleEndian(byteAt, 24, 3) + 1, littleEndian(byteAt, 27, 3) + 1)
  return undefined
}

function sizeOf(width: number, height: number): ImageSize | undefined {
  return Number.isNaN(width + height) ? undefined : { width, height }
}

function spells(byteAt: ByteAt, at: number, word: string): boolean {
  for (let index = 0; index < word.length; index++)
    if (byteAt(at + index) !== word.charCodeAt(index)) return false
  return true
}

function bigEndian(byteAt: ByteAt, at: number, length: number): number {
  let value = 0
  for (let index = 0; index < length; index++) value = value * 256 + byteAt(at + index)
  return value
}

function littleEndian(byteAt: ByteAt, at: number, length: number): number {
  let value = 0
  for (let index = length - 1; index >= 0; index--) value = value * 256 + byteAt(at + index)
  return value
}
