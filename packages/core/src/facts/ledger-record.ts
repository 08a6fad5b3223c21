/** How a ledger stands in a summary message, and how it is read back: a record in lines, exact in both directions. */
import { readStrength, type Strength } from './strength.ts'
import type { TaskStatus } from './tool-calls.ts'

/** What an earlier ledger says; the order is that of the lines. */
export interface LedgerRecord {
  readonly pins: readonly string[]
  readonly directives: readonly { readonly text: string; readonly strength: Strength }[]
  readonly ended: readonly { readonly text: string; readonly strength: Strength }[]
  readonly tasks: readonly { readonly text: string; readonly status: TaskStatus; readonly id?: string }[]
}

const HEADINGS = {
  pins: '## Pinned by the user',
  directives: '## Standing instructions of the user',
  ended: '## Instructions the user has ended',
  tasks: '## Tasks, as last recorded',
} as const

export type LedgerSection = keyof typeof HEADINGS

export const ledgerSections = ['pins', 'directives', 'ended', 'tasks'] as const

const SECTION_OF_HEADING = new Map<string, LedgerSection>(ledgerSections.map((section) => [HEADINGS[section], section]))
const STATUSES: readonly TaskStatus[] = ['open', 'active', 'done', 'cancelled']
const TASK = /^\[(\w{1,20})(?: #([\w.-]{1,40}))?\] ([\s\S]*)$/

export function headingOf(section: LedgerSection): string {
  return HEADINGS[section]
}

//   > Never touch the database:          first line of an item
//     it is shared with production       each further line of it, two spaces in front
export function renderItem(text: string): string {
  return `> ${text.replaceAll('\n', '\n  ')}`
}

export function renderTask({ text, status, id }: LedgerRecord['tasks'][number]): string {
  const number = id !== undefined && /^[\w.-]{1,40}$/.test(id) ? ` #${id}` : ''
  return renderItem(`[${status}${number}] ${text}`)
}

/** Whatever stands outside of known sections is left out: text is data. */
export function parseLedger(text: string): LedgerRecord {
  const items: Record<LedgerSection, string[]> = { pins: [], directives: [], ended: [], tasks: [] }
  let list: string[] | undefined
  let lines: string[] = []
  const close = () => {
    if (lines.length > 0) list?.push(lines.join('\n'))
    lines = []
  }
  for (const line of text.split('\n')) {
    if (line.startsWith('> ')) {
      close()
      lines.push(line.slice(2))
    } else if (line.startsWith('  ') && lines.length > 0) lines.push(line.slice(2))
    else {
      close()
      const section = SECTION_OF_HEADING.get(line)
      if (section) list = items[section]
      else if (line !== '') list = undefined
    }
  }
  close()
  return {
    pins: items.pins,
    directives: items.directives.map(readDirective),
    ended: items.ended.map(readDirective),
    tasks: items.tasks.flatMap(readTask),
  }
}

/** Its strength follows from its words. */
function readDirective(text: string) {
  return { text, strength: readStrength(text) ?? 1 }
}

function readTask(item: string): LedgerRecord['tasks'] {
  const [, word, id, text] = TASK.exec(item) ?? []
  const status = STATUSES.find((name) => name === word)
  return status && text ? [{ text, status, ...(id !== undefined && { id }) }] : []
}
