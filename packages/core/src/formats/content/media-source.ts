/** Where the data of an image or a file is, in the native part of any format: how media gets from one to another. */
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import { findProviderBlock } from './provider-block.ts'

export interface MediaSource {
  /** Base64 without a header, or a URL. */
  readonly data: string
  readonly isReference: boolean
  readonly mediaType?: string
  readonly filename?: string
}

/** Undefined for what lies at its provider under an id, and for what holds no media. */
export function findMediaSource(native: unknown): MediaSource | undefined {
  const block = findProviderBlock(native)
  if (!isJsonObject(block)) return undefined
  return readAnthropic(block) ?? readGemini(block) ?? readPi(block) ?? readOpenai(block)
}

function readAnthropic({ source, title }: JsonObject): MediaSource | undefined {
  if (!isJsonObject(source)) return undefined
  const mediaType = typeof source.media_type === 'string' ? source.media_type : undefined
  const found = source.type === 'base64' ? fromData(source.data, mediaType) : fromUrl(source.url, mediaType)
  return withName(found, title)
}

function readGemini(block: JsonObject): MediaSource | undefined {
  const inline = block.inlineData ?? block.inline_data
  if (isJsonObject(inline)) {
    return withName(fromData(inline.data, inline.mimeType ?? inline.mime_type), inline.displayName)
  }
  const file = block.fileData ?? block.file_data
  return isJsonObject(file) ? fromUrl(file.fileUri ?? file.file_uri, file.mimeType ?? file.mime_type) : undefined
}

/** pi, as MCP servers give images too. */
function readPi({ type, data, mimeType }: JsonObject): MediaSource | undefined {
  return type === 'image' ? fromData(data, mimeType) : undefined
}

function readOpenai(block: JsonObject): MediaSource | undefined {
  switch (block.type) {
    case 'image_url':
    case 'input_image':
    case 'computer_screenshot':
      return fromUrl(readMember(block.image_url, 'url') ?? block.image_url, 'image/*')
    case 'input_audio': {
      const format = readMember(block.input_audio, 'format')
      return fromData(readMember(block.input_audio, 'data'), `audio/${typeof format === 'string' ? format : '*'}`)
    }
    case 'file':
    case 'input_file': {
      const file = isJsonObject(block.file) ? block.file : block
      // OpenCode has its own names for the same.
      return withName(fromUrl(file.file_data ?? file.file_url ?? file.url, file.mime), file.filename)
    }
    default:
      return undefined
  }
}

function fromData(data: unknown, mediaType: unknown): MediaSource | undefined {
  if (typeof data !== 'string' || data === '') return undefined
  return { data, isReference: false, ...(typeof mediaType === 'string' && { mediaType }) }
}

//   data:image/png;base64,iVBOR…      https://…
function fromUrl(url: unknown, mediaType: unknown): MediaSource | undefined {
  if (typeof url !== 'string' || url === '') return undefined
  if (!url.startsWith('data:')) {
    return { data: url, isReference: true, ...(typeof mediaType === 'string' && { mediaType }) }
  }
  const comma = url.indexOf(',')
  const [declared] = url.slice('data:'.length, Math.max(comma, 0)).split(';', 1)
  return comma < 0 ? undefined : fromData(url.slice(comma + 1), declared || mediaType)
}

function withName(source: MediaSource | undefined, filename: unknown): MediaSource | undefined {
  return source && typeof filename === 'string' ? { ...source, filename } : source
}
