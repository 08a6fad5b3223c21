import { StringDecoder } from 'node:string_decoder'

/** Output of any length in bounded memory: its beginning and its end. */
export interface CollectedOutput {
  add(chunk: Buffer): void
  render(): string
}

const HEAD_SHARE = 0.4

/** What lies between is told by its length. */
export function collectOutput(maxCharacters: number): CollectedOutput {
  const decoder = new StringDecoder('utf8')
  const headLimit = Math.floor(maxCharacters * HEAD_SHARE)
  const tailLimit = maxCharacters - headLimit
  let head = ''
  let tail: string[] = []
  let tailLength = 0
  let dropped = 0
  const trim = () => {
    const joined = tail.join('')
    dropped += Math.max(0, joined.length - tailLimit)
    const kept = joined.slice(-tailLimit)
    tail = [kept]
    tailLength = kept.length
  }
  return {
    add: (chunk) => {
      const text = decoder.write(chunk)
      const room = headLimit - head.length
      head += text.slice(0, room)
      const rest = text.slice(room)
      if (rest === '') return
      tail.push(rest)
      tailLength += rest.length
      if (tailLength > 2 * tailLimit) trim()
    },
    render: () => {
      trim()
      const end = tail.join('') + decoder.end()
      return dropped === 0 ? head + end : `${head}\n[… ${dropped} characters left out …]\n${end}`
    },
  }
}
