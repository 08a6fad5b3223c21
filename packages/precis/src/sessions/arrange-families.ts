/** Lists each session below the session that it was made from. */

import { addToList } from '../files/lists.ts'

interface Descendant {
  readonly id: string
  readonly origin: { readonly sessionId: string | undefined } | undefined
}

export type InFamily<Session> = Session & {
  /** Whether the session that it comes from is above it. */
  readonly isChild: boolean
}

/**
 * For sessions with the newest first. A family is at the place of its newest session, with its
 * oldest session first.
 */
export function arrangeFamilies<Session extends Descendant>(
  sessions: readonly Session[],
  { isNewestLast }: { readonly isNewestLast: boolean },
): InFamily<Session>[] {
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const families = new Map<Session, Session[]>()
  for (const session of sessions) {
    addToList(families, findRoot(session, byId), session)
  }
  const ordered = isNewestLast ? [...families].reverse() : [...families]
  return ordered.flatMap(([root, family]) => {
    const children = family.filter((session) => session !== root).toReversed()
    return [
      { ...root, isChild: false },
      ...children.map((session) => ({ ...session, isChild: true })),
    ]
  })
}

/** The oldest one that it goes back to, of those that are listed. */
function findRoot<Session extends Descendant>(
  session: Session,
  byId: ReadonlyMap<string, Session>,
): Session {
  const passed = new Set<Session>()
  let root = session
  while (!passed.has(root)) {
    passed.add(root)
    root = byId.get(root.origin?.sessionId ?? '') ?? root
  }
  return root
}
