import type { MediaPart } from '../../conversation/message.ts'
import { readImageSize } from './image-size.ts'

const LONGEST_HEADER = 256

type Measures = Pick<MediaPart, 'mediaType' | 'bytes' | 'width' | 'height'>

/** Measures of a data URL or of plain base64, by its length and header alone; 0 bytes for a reference to data elsewhere. */
export function measureData(data: unknown, fallbackType: string): Measures {
  if (typeof data !== 'string') return { mediaType: fallbackType, bytes: 0 }
  const head = data.slice(0, LONGEST_HEADER)
  if (!head.startsWith('data:')) {
    if (head.includes('://')) return { mediaType: fallbackType, bytes: 0 }
    return { mediaType: fallbackType, bytes: countBase64Bytes(data, 0), ...readSize(data, fallbackType) }
  }
  const comma = head.indexOf(',')
  const declared = head.slice('data:'.length, comma < 0 ? undefined : comma).split(';', 1)[0]
  const mediaType = declared || fallbackType
  return { mediaType, bytes: comma < 0 ? 0 : countBase64Bytes(data, comma + 1), ...readSize(data, mediaType) }
}

/** The same of the bytes themselves. */
export function measureBytes(bytes: Uint8Array, mediaType: string): Measures {
  const header = mediaType.startsWith('image/') ? encodeHeader(bytes) : ''
  return { mediaType, bytes: bytes.byteLength, ...readSize(header, mediaType) }
}

// Divisible by three, so that nothing has to be padded. Most headers say the size much earlier.
const HEADER_BYTES = 3 << 15
const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

function encodeHeader(bytes: Uint8Array): string {
  const digits: string[] = []
  for (let at = 0; at + 2 < Math.min(bytes.length, HEADER_BYTES); at += 3) {
    const triple = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    for (const shift of [18, 12, 6, 0]) digits.push(BASE64_DIGITS[(triple >> shift) & 63] ?? '')
  }
  return digits.join('')
}

function readSize(data: string, mediaType: string): Pick<MediaPart, 'width' | 'height'> {
  return mediaType.startsWith('image/') ? (readImageSize(data) ?? {}) : {}
}

function countBase64Bytes(data: string, start: number): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((data.length - start) * 3) / 4) - padding)
}
