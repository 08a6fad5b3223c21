/** Reads a digest back into what it was rendered from, so that the next one merges data instead of quoting prose. */
import { type SectionName, sectionNames } from './candidate.ts'
import { wordings } from './wording.ts'

export interface EarlierDigest {
  readonly course: readonly EarlierBlock[]
  readonly errors: readonly EarlierGroup[]
  readonly changed: readonly EarlierGroup[]
  readonly read: readonly EarlierGroup[]
  readonly commands: readonly string[]
  readonly found: readonly string[]
}

/** Lines of one request, or of one block of the agent's words. */
interface EarlierBlock {
  readonly type: 'request' | 'words'
  readonly text: string
}

/** An item with the lines below it: `purposes` are prose, `lines` are quoted content. */
export interface EarlierGroup {
  readonly name: string
  readonly purposes: readonly string[]
  readonly lines: readonly string[]
  /** Lines of a changed file that the agent did not write. */
  readonly otherLines: readonly string[]
}

const SECTION_OF_HEADING = new Map<string, SectionName>()
const OTHER_LINES = new Set(Object.values(wordings).map(({ otherLines }) => `  ${otherLines}`))
for (const wording of Object.values(wordings)) {
  for (const section of sectionNames) SECTION_OF_HEADING.set(`## ${wording.headings[section]}`, section)
}

/** Undefined when the text is no digest: another summarizer wrote it. */
export function parseDigest(text: string): EarlierDigest | undefined {
  const sections = new Map<SectionName, string[]>()
  let lines: string[] | undefined
  for (const line of text.split('\n')) {
    const section = line.startsWith('## ') ? SECTION_OF_HEADING.get(line) : undefined
    if (section) {
      lines = sections.get(section) ?? []
      sections.set(section, lines)
    } else if (line !== '') lines?.push(line)
  }
  if (sections.size === 0) return undefined
  const of = (section: SectionName) => sections.get(section) ?? []
  return {
    course: parseCourse(of('course')),
    errors: parseGroups(of('errors')),
    changed: parseGroups(of('changed')),
    read: parseGroups(of('read')),
    commands: of('commands').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : [])),
    found: of('found').flatMap((line) => (line.startsWith('\t') ? [line.slice(1)] : [])),
  }
}

function parseCourse(lines: readonly string[]): EarlierBlock[] {
  const blocks: { type: 'request' | 'words'; text: string }[] = []
  let isInRequest = false
  for (const line of lines) {
    const isRequest = line.startsWith('> ')
    const last = blocks.at(-1)
    if (isRequest && isInRequest && last) last.text += `\n${line.slice(2)}`
    else if (isRequest) blocks.push({ type: 'request', text: line.slice(2) })
    else if (line.startsWith('  ') && last?.type === 'words') last.text += `\n${line.slice(2)}`
    else blocks.push({ type: 'words', text: line.startsWith('- ') ? line.slice(2) : line })
    isInRequest = isRequest
  }
  return blocks
}

function parseGroups(lines: readonly string[]): EarlierGroup[] {
  const groups: { name: string; purposes: string[]; lines: string[]; otherLines: string[] }[] = []
  let isOther = false
  for (const line of lines) {
    const group = groups.at(-1)
    if (line.startsWith('- ')) {
      groups.push({ name: line.slice(2), purposes: [], lines: [], otherLines: [] })
      isOther = false
    } else if (line.startsWith('\t')) (isOther ? group?.otherLines : group?.lines)?.push(line.slice(1))
    else if (OTHER_LINES.has(line)) isOther = true
    else if (line.startsWith('  ')) group?.purposes.push(line.slice(2))
  }
  return groups
}
