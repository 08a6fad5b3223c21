/** What an ASCII character is in a name. */

export const LOWER = 1
export const UPPER = 2
export const DIGIT = 3
export const UNDERSCORE = 4
export const JOINER = 5
export const CLASSES = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  if (code >= 97 && code <= 122) CLASSES[code] = LOWER
  else if (code >= 65 && code <= 90) CLASSES[code] = UPPER
  else if (code >= 48 && code <= 57) CLASSES[code] = DIGIT
}
CLASSES[95] = UNDERSCORE
for (const character of './-@+~') CLASSES[character.charCodeAt(0)] = JOINER

/** 0 for all others. */
export function classAt(text: string, position: number): number {
  const code = text.charCodeAt(position)
  return code < 128 ? CLASSES[code]! : 0
}
