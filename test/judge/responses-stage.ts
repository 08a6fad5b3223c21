import type { JsonObject } from './provider.ts'
import { future, PICTURE, pick, prose, type Scene, type Stage, times } from './scenes.ts'

type Kind =
  | 'talk'
  | 'calls'
  | 'picture'
  | 'host'
  | 'server'
  | 'approval'
  | 'program'
  | 'reference'
  | 'future'
  | 'far-future'
  | 'compaction'
  | 'operator'
  | 'operator-tools'
type End =
  | 'request'
  | 'outputs'
  | 'program-runs'
  | 'operator'
  | 'reference'
  | 'approval'
  | 'unanswered'

const message = (role: string, text: string, more: JsonObject = {}): JsonObject => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  ...more,
})
const ask = ({ at, words, variant }: Scene): JsonObject => {
  const typed = prose({ at, words: Math.min(words, 40) }, 'Request')
  return variant % 3 ? message('user', typed) : { role: 'user', content: typed }
}
const answer = (scene: Scene): JsonObject =>
  message('assistant', prose(scene, 'Answer'), { id: `msg_${scene.at}`, status: 'completed' })
const reasoning = ({ at }: Scene, index = 0): JsonObject => ({
  type: 'reasoning',
  id: `rs_${at}_${index}`,
  summary: [],
  encrypted_content: `gAAAA${'x'.repeat(40)}${at}`,
})
const thought = (scene: Scene): JsonObject[] => (scene.variant % 2 ? [reasoning(scene)] : [])

const call = ({ at }: Scene, index: number, more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  id: `fc_${at}_${index}`,
  call_id: `call_${at}_${index}`,
  name: pick(['read_file', 'shell', 'grep'], at + index),
  arguments: JSON.stringify({ path: `src/area${at % 7}/unit${at}.ts` }),
  ...more,
})
const output = (scene: Scene, index: number, more: JsonObject = {}): JsonObject => ({
  type: 'function_call_output',
  call_id: `call_${scene.at}_${index}`,
  output: prose(scene, 'Line'),
  ...more,
})

/** Calls that the host runs, other than functions. */
function host(scene: Scene): readonly [JsonObject, JsonObject] {
  const { at, variant } = scene
  const call_id = `call_${at}`
  const said = prose(scene, 'Printed')
  const screen = { type: 'computer_screenshot', image_url: `data:image/png;base64,${PICTURE}` }
  const command = { type: 'exec', command: ['ls'], env: {} }
  return pick<readonly [JsonObject, JsonObject]>(
    [
      [
        {
          type: 'custom_tool_call',
          id: `ctc_${at}`,
          call_id,
          name: 'apply',
          input: `*** area ${at}`,
        },
        { type: 'custom_tool_call_output', call_id, output: said },
      ],
      [
        {
          type: 'local_shell_call',
          id: `lsh_${at}`,
          call_id,
          status: 'completed',
          action: command,
        },
        { type: 'local_shell_call_output', call_id, id: `lso_${at}`, output: said },
      ],
      [
        {
          type: 'shell_call',
          id: `sh_${at}`,
          call_id,
          status: 'completed',
          action: { commands: ['ls'] },
        },
        {
          type: 'shell_call_output',
          call_id,
          output: [{ stdout: said, stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
        },
      ],
      [
        {
          type: 'apply_patch_call',
          id: `ap_${at}`,
          call_id,
          status: 'completed',
          operation: { type: 'delete_file', path: 'a' },
        },
        { type: 'apply_patch_call_output', call_id, status: 'completed', output: said },
      ],
      [
        {
          type: 'computer_call',
          id: `cu_${at}`,
          call_id,
          status: 'completed',
          action: { type: 'screenshot' },
        },
        { type: 'computer_call_output', call_id, output: screen },
      ],
      [
        {
          type: 'tool_search_call',
          id: `ts_${at}`,
          call_id,
          execution: 'client',
          arguments: { query: 'x' },
        },
        { type: 'tool_search_output', call_id, execution: 'client', tools: [] },
      ],
      [
        { type: 'hologram_call', id: `ho_${at}`, call_id, pose: 'still' },
        { type: 'hologram_call_output', call_id, output: said },
      ],
    ],
    variant,
  )
}

/** What the provider runs is one item with its result in it. */
function server({ at, variant, words }: Scene, index: number): JsonObject {
  const found = prose({ at, words }, 'Found')
  return pick<JsonObject>(
    [
      {
        type: 'web_search_call',
        id: `ws_${at}_${index}`,
        status: 'completed',
        action: { type: 'search', query: 'q' },
      },
      {
        type: 'file_search_call',
        id: `fs_${at}_${index}`,
        status: 'completed',
        queries: ['q'],
        results: [{ text: found }],
      },
      {
        type: 'code_interpreter_call',
        id: `ci_${at}_${index}`,
        status: 'completed',
        code: '1',
        container_id: 'cntr_1',
        outputs: [{ type: 'logs', logs: found }],
      },
      {
        type: 'image_generation_call',
        id: `ig_${at}_${index}`,
        status: 'completed',
        result: PICTURE,
      },
      { type: 'mcp_list_tools', id: `mcpl_${at}_${index}`, server_label: 's', tools: [] },
      {
        type: 'mcp_call',
        id: `mcp_${at}_${index}`,
        server_label: 's',
        name: 'a',
        arguments: '{}',
        output: found,
      },
    ],
    variant + index,
  )
}

function approval(scene: Scene): readonly [JsonObject, JsonObject, JsonObject] {
  const { at } = scene
  const common = {
    server_label: 's',
    name: 'close_issue',
    arguments: JSON.stringify({ note: prose(scene, 'Note') }),
  }
  return [
    { type: 'mcp_approval_request', id: `mcpr_${at}`, ...common },
    { type: 'mcp_approval_response', approval_request_id: `mcpr_${at}`, approve: true },
    {
      type: 'mcp_call',
      id: `mcp_${at}`,
      ...common,
      output: 'closed',
      approval_request_id: `mcpr_${at}`,
    },
  ]
}

function program(scene: Scene): readonly [JsonObject[], JsonObject] {
  const { at, count } = scene
  const call_id = `call_prog_${at}`
  const caller = { type: 'program', caller_id: call_id }
  const opened = {
    type: 'program',
    id: `prog_${at}`,
    call_id,
    code: 'text(await tools.f({}))',
    fingerprint: `f${at}`,
  }
  const calls = times(count, (index) => call(scene, index, { caller }))
  const outputs = times(count, (index) => output(scene, index, { caller }))
  return [
    [...thought(scene), opened, ...calls, ...outputs],
    {
      type: 'program_output',
      id: `po_${at}`,
      call_id,
      result: `${at} pieces`,
      status: 'completed',
    },
  ]
}

function write(scene: Scene<Kind>): JsonObject[] {
  const { at, count, kind } = scene
  switch (kind) {
    case 'talk':
      return [ask(scene), answer(scene)]
    case 'calls': {
      const calls = times(count, (index) => call(scene, index))
      return [
        ask(scene),
        ...thought(scene),
        ...calls,
        ...times(count, (index) => output(scene, index)),
        answer(scene),
      ]
    }
    case 'picture': {
      const picture = {
        type: 'input_image',
        image_url: `data:image/png;base64,${PICTURE}`,
        detail: 'auto',
      }
      return [
        {
          type: 'message',
          role: 'user',
          content: [picture, { type: 'input_text', text: `See ${at}` }],
        },
        answer(scene),
      ]
    }
    case 'host': {
      const [asked, given] = host(scene)
      return [ask(scene), ...thought(scene), asked, given, answer(scene)]
    }
    case 'server':
      return [
        ask(scene),
        ...thought(scene),
        ...times(count, (index) => server(scene, index)),
        answer(scene),
      ]
    case 'approval':
      return [ask(scene), ...thought(scene), ...approval(scene), answer(scene)]
    case 'program': {
      const [opened, closed] = program(scene)
      return [ask(scene), ...opened, closed, answer(scene)]
    }
    case 'reference':
      return [
        ask(scene),
        { type: 'item_reference', id: `fc_r${at}` },
        output(scene, 0),
        answer(scene),
      ]
    case 'future':
      return [
        ask(scene),
        { type: 'hologram', id: `holo_${at}`, pose: prose(scene, 'Pose') },
        { type: 'hologram_seen', hologram_id: `holo_${at}` },
        answer(scene),
      ]
    case 'far-future': {
      const [first, second] = future(scene)
      return [
        ask(scene),
        first,
        answer(scene),
        ask({ ...scene, words: 5 }),
        { ...second, note: prose(scene, 'End') },
        message('assistant', `Good ${at}`),
      ]
    }
    case 'compaction': {
      const encrypted_content = `gAAAACOMPACT${at}${'y'.repeat(80)}`
      return [ask(scene), { type: 'compaction', id: `cmp_${at}`, encrypted_content }, answer(scene)]
    }
    case 'operator':
      return [ask(scene), operator(scene), answer(scene)]
    case 'operator-tools': {
      const tools = [{ type: 'function', name: `deploy_${scene.at}` }]
      return [ask(scene), { type: 'additional_tools', role: 'developer', tools }, answer(scene)]
    }
  }
}

const operator = ({ at, variant }: Scene): JsonObject =>
  message(
    variant % 2 ? 'developer' : 'system',
    `From now on the release of area ${at} is frozen: refuse to deploy it. FREEZE-${at}`,
  )

function writeEnd(scene: Scene<End>): JsonObject[] {
  switch (scene.kind) {
    case 'request':
      return [ask(scene)]
    case 'outputs':
      return [
        ask(scene),
        ...thought(scene),
        call(scene, 0),
        call(scene, 1),
        output(scene, 0),
        output(scene, 1),
      ]
    case 'program-runs':
      return [ask(scene), ...program(scene)[0]]
    case 'operator':
      return [ask(scene), operator(scene)]
    case 'reference':
      return [ask(scene), { type: 'item_reference', id: `fc_r${scene.at}` }, output(scene, 0)]
    case 'approval':
      return [ask(scene), ...approval(scene).slice(0, 2)]
    case 'unanswered':
      return [ask(scene), ...thought(scene), call(scene, 0)]
  }
}

/** In some histories the first half of a pair comes before all, and the other one after all. */
function spread(setting: number, items: JsonObject[]): JsonObject[] {
  if (setting % 8 > 0) return items
  const first: Scene = { kind: 'far-future', at: 900, count: 1, words: 5, variant: setting / 8 }
  const [opened, closed] = future(first)
  const beginning = [ask(first), opened, answer(first)]
  return [...beginning, ...items, ask(first), closed, message('assistant', 'Good 900')]
}

export const responsesStage: Stage<Kind, End> = {
  kinds: [
    'talk',
    'talk',
    'calls',
    'calls',
    'picture',
    'host',
    'host',
    'server',
    'server',
    'approval',
    'program',
    'reference',
    'future',
    'far-future',
    'compaction',
    'operator',
    'operator-tools',
  ],
  ends: [
    'request',
    'request',
    'request',
    'outputs',
    'program-runs',
    'operator',
    'reference',
    'approval',
    'unanswered',
  ],
  write: ({ scenes, end, setting }) => {
    const isStored = setting % 11 === 0
    const stored = {
      type: 'function_call_output',
      call_id: 'call_stored',
      output: prose({ at: 99, words: 20 }, 'Stored'),
    }
    return {
      model: 'gpt-5',
      store: false,
      ...(setting % 2 && { instructions: 'Be brief.' }),
      ...(setting % 5 === 0 && {
        context_management: [{ type: 'compaction', compact_threshold: 200_000 }],
      }),
      ...(isStored &&
        (setting % 2 ? { previous_response_id: 'resp_1' } : { conversation: 'conv_1' })),
      input: [
        ...(isStored ? [stored] : []),
        ...spread(setting, scenes.flatMap(write)),
        ...writeEnd(end),
      ],
    }
  },
}
