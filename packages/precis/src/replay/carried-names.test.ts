import { describe, expect, test } from 'vitest'
import { findMissingNames } from './carried-names.ts'
import { type Item, knowEntities } from './items.ts'

const know = (items: readonly Omit<Item, 'row'>[]) =>
  knowEntities(
    items.map((item, row) => ({ ...item, row })),
    '/work/shop',
  )

const LONG =
  'the supplier table of the year has netPrice_77 next to every shipping class of the warehouse'
const SHORT = 'remember that netPrice_77 comes from the supplier table of the year'
const past = know([
  { kind: 'result', text: `${LONG}\n${'nothing else is here to see '.repeat(50)}`, callId: 'a' },
  { kind: 'user', text: SHORT },
])
const future = know([{ kind: 'call', name: 'Bash', text: 'grep netPrice_77 src', callId: 'b' }])

describe('findMissing', () => {
  test('finds a name that a later call uses and that the text has no longer', () => {
    const { needed, missing, readAgain } = findMissingNames({
      past,
      future,
      text: 'The tax was mended.',
    })
    expect({ needed, missing }).toEqual({ needed: 1, missing: ['ident\tnetPrice_77'] })
    expect(readAgain.map(({ text }) => text)).toEqual([SHORT])
  })

  test('misses nothing that stands there with the words around it', () => {
    expect(findMissingNames({ past, future, text: `User: ${SHORT}` })).toMatchObject({
      needed: 1,
      missing: [],
      readAgain: [],
    })
  })

  test('counts a name that reads as an identifier and as a string once', () => {
    const text = 'the supplier table of the year was changed in commit a1b2c3d4e5f6 by the owner'
    const call = know([{ kind: 'call', name: 'Bash', text: 'git show a1b2c3d4e5f6', callId: 'b' }])
    const found = findMissingNames({ past: know([{ kind: 'user', text }]), future: call, text: '' })
    expect(found.missing).toHaveLength(2)
    expect(found.needed).toBe(1)
  })

  test('counts a bare name without its words as lost', () => {
    expect(findMissingNames({ past, future, text: 'netPrice_77' }).missing).toHaveLength(1)
  })

  test('needs nothing that the agent sees again before it uses it', () => {
    const again = know([{ kind: 'result', text: SHORT, callId: 'x' }])
    expect(findMissingNames({ past, future: [...again, ...future], text: '' }).needed).toBe(0)
  })
})
