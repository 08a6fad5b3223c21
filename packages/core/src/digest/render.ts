/** The chosen candidates as text. */
import { addTo } from '../conversation/lists.ts'
import { type SummarySection, summaryHeadings } from '../conversation/summary-layout.ts'
import { describeOmitted } from './collect-answers.ts'
import type { Candidate, Group } from './draft.ts'

//   ## Heading
//   - group
//   	line of it, left out where it was told further up
/** Sections, groups and lines in their order. Nothing is repeated. */
export function renderDigest(chosen: readonly Candidate[]): string {
  const sections = new Map<SummarySection, Map<Group, Candidate[]>>()
  for (const candidate of chosen) {
    const { group } = candidate
    const groups = sections.get(group.section) ?? new Map<Group, Candidate[]>()
    sections.set(group.section, groups)
    addTo(groups, group, candidate)
  }
  const told = new Set<string>()
  const blocks: string[] = []
  for (const section of Object.keys(summaryHeadings) as SummarySection[]) {
    const lines = [...(sections.get(section) ?? [])]
      .sort(([a], [b]) => a.order - b.order)
      .flatMap(([group, members]) => renderGroup(group, members, told))
    if (lines.length > 0) blocks.push([`## ${summaryHeadings[section]}`, ...lines].join('\n'))
  }
  return blocks.join('\n\n')
}

function renderGroup({ heading }: Group, members: Candidate[], told: Set<string>): string[] {
  const lines: string[] = []
  const omitted = countOmitted(members)
  let isEmpty = true
  const isTold = (candidate: Candidate) => {
    const tells = tellsOf(candidate)
    return tells.length > 0 && tells.every((one) => told.has(one))
  }
  // A line that says nothing without another one brings it along.
  const needed = new Set(members.flatMap((one) => (isTold(one) ? [] : (one.needs ?? []))))
  for (const candidate of members.sort((a, b) => a.order - b.order)) {
    if (isTold(candidate) && !needed.has(candidate)) continue
    for (const one of tellsOf(candidate)) told.add(one)
    isEmpty = false
    if (candidate.text !== '') lines.push(candidate.text)
    const count = omitted.get(candidate)
    if (count !== undefined) lines.push(describeOmitted(count))
  }
  return isEmpty || heading === undefined ? lines : [heading, ...lines]
}

const tellsOf = ({ tells, text }: Candidate): readonly string[] =>
  tells ?? (text.startsWith('\t') ? [text] : [])

/** By the last line of each list that stands: how many of its items do not. */
function countOmitted(members: readonly Candidate[]): ReadonlyMap<Candidate, number> {
  const present = new Set(members)
  const counts = new Map<Candidate, number>()
  for (const list of new Set(members.flatMap((one) => one.list ?? []))) {
    const { pieces, omitted } = list
    const left = pieces.filter((one) => isItem(one) && !present.has(one)).length + omitted
    const last = pieces.findLast((one) => present.has(one))
    if (last && left > 0) counts.set(last, left)
  }
  return counts
}

const isItem = ({ text }: Candidate): boolean => /^ *- /.test(text)
