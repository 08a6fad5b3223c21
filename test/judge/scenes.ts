/**
 * Histories as people have them, in scenes: what each provider writes for one is in its file beside
 * this one.
 */
import fc from 'fast-check'
import type { JsonObject } from './provider.ts'

/** One exchange. `at` makes its ids and words its own. */
export interface Scene<Kind extends string = string> {
  readonly kind: Kind
  readonly at: number
  /** How many calls, results or steps there are, from 1. */
  readonly count: number
  /** How long its long text is. */
  readonly words: number
  /** Which of the types that may stand here. */
  readonly variant: number
}

export interface Script<Kind extends string, End extends string> {
  readonly scenes: readonly Scene<Kind>[]
  readonly end: Scene<End>
  /** Draws members of the body beside its messages. */
  readonly setting: number
}

/** What a provider writes. */
export interface Stage<Kind extends string, End extends string> {
  /** Each kind as often as it should come. */
  readonly kinds: readonly Kind[]
  readonly ends: readonly End[]
  write(script: Script<Kind, End>): JsonObject
}

const WORDS =
  'the parser reads one token after the other and keeps its place in the table of open files'.split(
    ' ',
  )

/** Words that are told apart by their tag, with a path in each line as facts. */
export function prose({ at, words }: Pick<Scene, 'at' | 'words'>, tag: string): string {
  const text = [`${tag} ${at} looks at src/area${at % 7}/unit${at}.ts.`]
  for (let count = 0; count < words; count++) text.push(WORDS[(count + at) % WORDS.length] ?? '')
  return text.join(' ')
}

const scene = <Kind extends string>(kinds: readonly Kind[]) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    count: fc.integer({ min: 1, max: 3 }),
    words: fc.oneof(
      { weight: 3, arbitrary: fc.nat(40) },
      { weight: 3, arbitrary: fc.nat(200) },
      { weight: 1, arbitrary: fc.nat(1_500) },
    ),
    variant: fc.nat(1_000),
  })

/**
 * Bodies of requests: anything of `kinds` in any order, at the end something that is still open.
 */
export function createBodies<Kind extends string, End extends string>(
  stage: Stage<Kind, End>,
): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      scenes: fc.array(scene(stage.kinds), { minLength: 1, maxLength: 18, size: 'max' }),
      end: scene(stage.ends),
      setting: fc.nat(1_000),
    })
    .map(({ scenes, end, setting }) =>
      stage.write({
        scenes: scenes.map((one, at) => ({ ...one, at })),
        end: { ...end, at: scenes.length },
        setting,
      }),
    )
}

export const pick = <Value>(values: readonly [Value, ...Value[]], variant: number): Value =>
  values[variant % values.length] ?? values[0]

export const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** A pair of types that do not exist yet, and what names what. */
export function future({
  at,
  variant,
}: Pick<Scene, 'at' | 'variant'>): readonly [JsonObject, JsonObject] {
  const id = `holo_${at}`
  const hologram = { type: 'hologram', id, pose: 'still' }
  return pick<readonly [JsonObject, JsonObject]>(
    [
      [hologram, { type: 'hologram_end', of: { hologram_id: id } }],
      [hologram, { type: 'hologram_end', for: { hologram: id } }],
      [hologram, { type: 'hologram_report', about: [id] }],
      [hologram, { type: 'hologram_report', about: [{ hologram_id: id, seen: true }] }],
      [hologram, { type: 'hologram_report', seen: { in: { the: { hall: [{ of: id }] } } } }],
      [
        { type: 'lease', lease: id },
        { type: 'lease_result', for: { lease: id } },
      ],
    ],
    variant,
  )
}

/** The pixels of a picture of 40 by 30, as far as measures are read. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAAHUlEQVR42u3NMQEAAAgDILV/55nBzwcC0EnqUZ8rAAAAAElFTkSuQmCC'
