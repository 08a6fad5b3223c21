import { type Candidate, type Group, type SectionName, sectionNames } from './candidate.ts'

/** The chosen candidates as text: sections in their order, groups and lines in theirs. */
export function renderDigest(chosen: readonly Candidate[], headingOf: (section: SectionName) => string): string {
  const sections = new Map<SectionName, Map<Group, Candidate[]>>()
  for (const candidate of chosen) {
    const { group } = candidate
    const groups = sections.get(group.section) ?? new Map<Group, Candidate[]>()
    sections.set(group.section, groups)
    const members = groups.get(group)
    if (members) members.push(candidate)
    else groups.set(group, [candidate])
  }
  const lines: string[] = []
  for (const section of sectionNames) {
    const groups = sections.get(section)
    if (!groups) continue
    if (lines.length > 0) lines.push('')
    lines.push(headingOf(section))
    for (const [group, members] of [...groups].sort(([a], [b]) => a.order - b.order)) {
      if (group.heading !== undefined) lines.push(group.heading)
      for (const candidate of members.sort((a, b) => a.order - b.order))
        if (candidate.text !== '') lines.push(candidate.text)
    }
  }
  return lines.join('\n')
}
