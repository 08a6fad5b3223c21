import type { JsonObject } from './provider.ts'
import { future, PICTURE, pick, prose, type Scene, type Stage, times } from './scenes.ts'

type Kind =
  | 'talk'
  | 'calls'
  | 'picture'
  | 'server'
  | 'paused'
  | 'mixed'
  | 'program'
  | 'future'
  | 'far-future'
  | 'compaction'
  | 'operator'
  | 'operator-in-calls'
  | 'operator-tools'
type End =
  | 'request'
  | 'results'
  | 'results-and-operator'
  | 'server-runs'
  | 'program-runs'
  | 'unanswered'

const user = (content: unknown): JsonObject => ({ role: 'user', content })
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
const system = (content: unknown): JsonObject => ({ role: 'system', content })
const text = (scene: Scene, tag: string): JsonObject => ({ type: 'text', text: prose(scene, tag) })
const ask = ({ at, words, variant }: Scene): JsonObject => {
  const typed = prose({ at, words: Math.min(words, 40) }, 'Request')
  return user(variant % 2 ? typed : [{ type: 'text', text: typed }])
}

/** Calls of the server with their results; the last ones do not exist yet. */
const SERVER_TOOLS: readonly [
  readonly [string, string, string],
  ...(readonly [string, string, string])[],
] = [
  ['server_tool_use', 'web_search', 'web_search_tool_result'],
  ['server_tool_use', 'web_fetch', 'web_fetch_tool_result'],
  ['server_tool_use', 'code_execution', 'code_execution_tool_result'],
  ['server_tool_use', 'bash_code_execution', 'bash_code_execution_tool_result'],
  ['server_tool_use', 'text_editor_code_execution', 'text_editor_code_execution_tool_result'],
  ['server_tool_use', 'tool_search_tool_regex', 'tool_search_tool_result'],
  ['server_tool_use', 'advisor', 'advisor_tool_result'],
  ['mcp_tool_use', 'list_issues', 'mcp_tool_result'],
  ['server_tool_use', 'hologram', 'hologram_tool_result'],
]

function server(scene: Scene, index: number): readonly [JsonObject, JsonObject] {
  const [type, name, result] = pick(SERVER_TOOLS, scene.variant + index)
  const id = `srvtoolu_${scene.at}_${index}`
  const more = type === 'mcp_tool_use' ? { server_name: 'issues' } : {}
  const content =
    name === 'web_search'
      ? [{ type: 'web_search_result', url: 'https://e.org', encrypted_content: 'EqgB' }]
      : { type: result.replace('_tool', ''), stdout: prose(scene, 'Found') }
  return [
    { type, id, name, input: { query: `area ${scene.at}` }, ...more },
    { type: result, tool_use_id: id, content },
  ]
}

const call = ({ at }: Scene, index: number, more: JsonObject = {}): JsonObject => ({
  type: 'tool_use',
  id: `toolu_${at}_${index}`,
  name: pick(['read_file', 'bash', 'grep'], at + index),
  input: { path: `src/area${at % 7}/unit${at}.ts` },
  ...more,
})
const result = (scene: Scene, index: number): JsonObject => ({
  type: 'tool_result',
  tool_use_id: `toolu_${scene.at}_${index}`,
  content:
    scene.variant % 3 ? prose(scene, 'Line') : [{ type: 'text', text: prose(scene, 'Line') }],
})
const thinking = ({ at }: Scene): JsonObject => ({
  type: 'thinking',
  thinking: `hm ${at}`,
  signature: `c2ln${at}`,
})
const hologram = ({ at }: Scene): JsonObject => ({
  type: 'hologram',
  id: `holo_${at}`,
  pose: 'still',
})

function write(scene: Scene<Kind>): JsonObject[] {
  const { at, count, variant, kind } = scene
  const answer = text(scene, 'Answer')
  switch (kind) {
    case 'talk':
      return [ask(scene), assistant(answer)]
    case 'calls': {
      const calls = times(count, (index) => call(scene, index))
      const thought = variant % 2 ? [thinking(scene)] : []
      return [
        ask(scene),
        assistant(...thought, ...calls),
        user(times(count, (index) => result(scene, index))),
        assistant(answer),
      ]
    }
    case 'picture': {
      const source = { type: 'base64', media_type: 'image/png', data: PICTURE }
      return [
        user([{ type: 'image', source }, text({ ...scene, words: 8 }, 'See')]),
        assistant(answer),
      ]
    }
    case 'server':
      return [
        ask(scene),
        assistant(...times(count, (index) => server(scene, index)).flat(), answer),
      ]
    case 'paused': {
      const [opened, closed] = server(scene, 0)
      return [
        ask(scene),
        assistant(text({ ...scene, words: 10 }, 'Plan'), opened),
        assistant(closed, answer),
      ]
    }
    case 'mixed': {
      const [opened, closed] = server(scene, 0)
      return [
        ask(scene),
        assistant(opened, call(scene, 0)),
        user([result(scene, 0)]),
        assistant(closed, answer),
      ]
    }
    case 'program': {
      const [opened, closed] = program(scene)
      return [ask(scene), ...opened, assistant(closed, answer)]
    }
    case 'future':
      return [
        ask(scene),
        assistant(hologram(scene), answer),
        user([{ type: 'hologram_seen', hologram_id: `holo_${at}`, note: prose(scene, 'Seen') }]),
        assistant(text({ ...scene, words: 5 }, 'Good')),
      ]
    case 'far-future': {
      const [first, second] = future(scene)
      return [
        ask(scene),
        assistant(first, answer),
        ask({ ...scene, words: 6 }),
        assistant(second, text({ ...scene, words: 5 }, 'Good')),
      ]
    }
    case 'compaction': {
      const content = `COMPACTED ${at}: migration ${at} is half done, vault-${at}.txt stays as it is.`
      return [ask(scene), assistant({ type: 'compaction', content }, answer)]
    }
    case 'operator':
      return [ask(scene), system(operator(scene)), assistant(answer)]
    case 'operator-tools': {
      const tool = { type: 'ref', name: `deploy_${scene.at}` }
      const type = pick(['tool_addition', 'tool_removal'], scene.variant)
      return [ask(scene), system([{ type, tool }]), assistant(answer)]
    }
    case 'operator-in-calls':
      return [
        ask(scene),
        assistant(call(scene, 0)),
        user([result(scene, 0)]),
        system([{ type: 'text', text: operator(scene) }]),
        assistant(answer),
      ]
  }
}

const operator = ({ at }: Scene): string =>
  `From now on the release of area ${at} is frozen: refuse to deploy it. FREEZE-${at}`

/**
 * Code that calls tools of the host: up to the last results of these, and the result of the code.
 */
function program(scene: Scene): readonly [JsonObject[], JsonObject] {
  const tool_id = `srvtoolu_${scene.at}`
  const caller = { type: 'code_execution_20250825', tool_id }
  const code = {
    type: 'server_tool_use',
    id: tool_id,
    name: 'code_execution',
    input: { code: 'print(await f())' },
  }
  const steps = times(scene.count, (index) => [
    assistant(...(index === 0 ? [code] : []), call(scene, index, { caller })),
    user([result(scene, index)]),
  ])
  const content = {
    type: 'code_execution_result',
    stdout: `total ${scene.at}`,
    stderr: '',
    return_code: 0,
    content: [],
  }
  return [steps.flat(), { type: 'code_execution_tool_result', tool_use_id: tool_id, content }]
}

function writeEnd(scene: Scene<End>): JsonObject[] {
  const results = [
    assistant(call(scene, 0), call(scene, 1)),
    user([result(scene, 0), result(scene, 1)]),
  ]
  switch (scene.kind) {
    case 'request':
      return [ask(scene)]
    case 'results':
      return [ask(scene), ...results]
    case 'results-and-operator':
      return [ask(scene), ...results, system(operator(scene))]
    case 'server-runs':
      return [ask(scene), assistant(text(scene, 'Plan'), server(scene, 0)[0])]
    case 'program-runs':
      return [ask(scene), ...program(scene)[0]]
    case 'unanswered':
      return [ask(scene), assistant(text(scene, 'Plan'), call(scene, 0))]
  }
}

/** In some histories the first half of a pair comes before all, and the other one after all. */
function spread(setting: number, messages: JsonObject[]): JsonObject[] {
  if (setting % 8 > 0) return messages
  const first = { kind: 'far-future', at: 900, count: 1, words: 5, variant: setting / 8 } as const
  const [opened, closed] = future(first)
  return [
    ask(first),
    assistant(opened, text(first, 'Answer')),
    ...messages,
    ask({ ...first, words: 6 }),
    assistant(closed, text(first, 'Good')),
  ]
}

export const anthropicStage: Stage<Kind, End> = {
  kinds: [
    'talk',
    'talk',
    'calls',
    'calls',
    'picture',
    'server',
    'server',
    'paused',
    'mixed',
    'program',
    'future',
    'far-future',
    'compaction',
    'operator',
    'operator-in-calls',
    'operator-tools',
  ],
  ends: [
    'request',
    'request',
    'request',
    'results',
    'results-and-operator',
    'server-runs',
    'program-runs',
    'unanswered',
  ],
  write: ({ scenes, end, setting }) => ({
    model: 'claude-opus-4-8',
    max_tokens: 1_000,
    ...(setting % 2 && { system: 'Be brief.' }),
    ...(setting % 3 && { context_management: { edits: [{ type: 'compact_20260112' }] } }),
    messages: [...spread(setting, scenes.flatMap(write)), ...writeEnd(end)],
  }),
}
