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

function readSize(data: string, mediaType: string): Pick<MediaPart, 'width' | 'height'> {
  return mediaType.startsWith('image/') ? (readImageSize(data) ?? {}) : {}
}

function countBase64Bytes(data: string, start: number): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor(((data.length - start) * 3) / 4) - padding)
}
