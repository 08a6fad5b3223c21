import type { JsonObject } from './provider.ts'
import { PICTURE, pick, prose, type Scene, type Stage, times } from './scenes.ts'

const operator = ({ at }: Scene): string =>
  `From now on the release of area ${at} is frozen: refuse to deploy it. FREEZE-${at}`
const typed = ({ at, words }: Scene): string => prose({ at, words: Math.min(words, 40) }, 'Request')
const said = (scene: Scene): string => prose(scene, 'Answer')
const toolOf = ({ at }: Scene, index: number): string =>
  pick(['read_file', 'bash', 'grep'], at + index)
const pathOf = ({ at }: Scene): JsonObject => ({ path: `src/area${at % 7}/unit${at}.ts` })

type ChatKind =
  | 'talk'
  | 'calls'
  | 'steps'
  | 'custom'
  | 'picture'
  | 'future'
  | 'operator'
  | 'operators'
type ChatEnd = 'request' | 'results' | 'operator' | 'unanswered'

const chatCall = (scene: Scene, index: number): JsonObject => ({
  id: `call_${scene.at}_${index}`,
  type: 'function',
  function: { name: toolOf(scene, index), arguments: JSON.stringify(pathOf(scene)) },
})
const chatResult = (scene: Scene, index: number): JsonObject => ({
  role: 'tool',
  tool_call_id: `call_${scene.at}_${index}`,
  content: prose(scene, 'Line'),
})
const chatCalls = (scene: Scene, from: number, count: number): JsonObject[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: times(count, (index) => chatCall(scene, from + index)),
  },
  ...times(count, (index) => chatResult(scene, from + index)),
]

function writeChat(scene: Scene<ChatKind>): JsonObject[] {
  const { at, count, variant, kind } = scene
  const ask = { role: 'user', content: typed(scene) }
  const answer = { role: 'assistant', content: said(scene) }
  const system = { role: variant % 2 ? 'developer' : 'system', content: operator(scene) }
  switch (kind) {
    case 'talk':
      return [ask, answer]
    case 'calls':
      return [ask, ...chatCalls(scene, 0, count), answer]
    case 'steps':
      return [ask, ...times(count, (index) => chatCalls(scene, index, 1)).flat(), answer]
    case 'custom': {
      const call = {
        id: `call_${at}`,
        type: 'custom',
        custom: { name: 'apply', input: `*** area ${at}` },
      }
      return [
        ask,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'ok' },
        answer,
      ]
    }
    case 'picture': {
      const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } }
      return [{ role: 'user', content: [picture, { type: 'text', text: `See ${at}` }] }, answer]
    }
    case 'future':
      return [
        {
          role: 'user',
          content: [
            { type: 'text', text: typed(scene) },
            { type: 'hologram', id: `holo_${at}` },
          ],
        },
        answer,
        {
          role: 'user',
          content: [
            { type: 'hologram_end', hologram_id: `holo_${at}` },
            { type: 'text', text: 'Go on.' },
          ],
        },
        { role: 'assistant', content: `Good ${at}` },
      ]
    case 'operator':
      return [ask, system, answer]
    case 'operators':
      return [ask, ...chatCalls(scene, 0, count), system, answer]
  }
}

function writeChatEnd(scene: Scene<ChatEnd>): JsonObject[] {
  const ask = { role: 'user', content: typed(scene) }
  switch (scene.kind) {
    case 'request':
      return [ask]
    case 'results':
      return [ask, ...chatCalls(scene, 0, scene.count)]
    case 'operator':
      return [ask, { role: 'developer', content: operator(scene) }]
    case 'unanswered':
      return [ask, ...chatCalls(scene, 0, 1).slice(0, 1)]
  }
}

export const chatStage: Stage<ChatKind, ChatEnd> = {
  kinds: [
    'talk',
    'talk',
    'calls',
    'calls',
    'steps',
    'custom',
    'picture',
    'future',
    'operator',
    'operators',
  ],
  ends: ['request', 'request', 'results', 'operator', 'unanswered'],
  write: ({ scenes, end, setting }) => ({
    model: 'gpt-5',
    messages: [
      ...(setting % 2 ? [{ role: 'system', content: 'Be brief.' }] : []),
      ...scenes.flatMap(writeChat),
      ...writeChatEnd(end),
    ],
  }),
}

type GeminiKind = 'talk' | 'calls' | 'steps' | 'picture' | 'server' | 'code' | 'future'
type GeminiEnd = 'request' | 'results' | 'unanswered'

const model = (...parts: JsonObject[]): JsonObject => ({ role: 'model', parts })
const person = (...parts: JsonObject[]): JsonObject => ({ role: 'user', parts })

/** Parallel calls carry one signature, on the first; ids are given or not. */
function geminiCalls(scene: Scene, from: number, count: number): JsonObject[] {
  const idOf = (index: number) =>
    scene.variant % 2 ? { id: `fc_${scene.at}_${from + index}` } : {}
  const calls = times(count, (index) => ({
    functionCall: { ...idOf(index), name: toolOf(scene, from + index), args: pathOf(scene) },
    ...(index === 0 && { thoughtSignature: 'U0lH' }),
  }))
  // One half may lack the id that the other has.
  const responses = times(count, (index) => ({
    functionResponse: {
      ...(scene.variant % 5 && idOf(index)),
      name: toolOf(scene, from + index),
      response: { output: prose(scene, 'Line') },
    },
  }))
  return [model(...calls), person(...responses)]
}

function writeGemini(scene: Scene<GeminiKind>): JsonObject[] {
  const { at, count, kind } = scene
  const ask = person({ text: typed(scene) })
  const answer = { text: said(scene) }
  switch (kind) {
    case 'talk':
      return [ask, model(answer)]
    case 'calls':
      return [ask, ...geminiCalls(scene, 0, count), model(answer)]
    case 'steps':
      return [ask, ...times(count, (index) => geminiCalls(scene, index, 1)).flat(), model(answer)]
    case 'picture':
      return [
        person({ inlineData: { mimeType: 'image/png', data: PICTURE } }, { text: `See ${at}` }),
        model(answer),
      ]
    case 'server': {
      const call = {
        toolCall: { id: `tc_${at}`, toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['q'] } },
        thoughtSignature: 'U0lH',
      }
      const response = {
        toolResponse: {
          id: `tc_${at}`,
          toolType: 'GOOGLE_SEARCH_WEB',
          response: { found: prose(scene, 'Found') },
        },
      }
      return [ask, model(call, response, answer)]
    }
    case 'code': {
      const code = { executableCode: { language: 'PYTHON', code: `print(${at})` } }
      const result = {
        codeExecutionResult: { outcome: 'OUTCOME_OK', output: prose(scene, 'Printed') },
      }
      return [ask, model(code, result, answer)]
    }
    case 'future':
      return [
        ask,
        model({ hologram: { id: `holo_${at}` } }, answer),
        person(
          scene.variant % 2
            ? { hologramSeen: { of: { part: { hologram_ids: [`holo_${at}`] } } } }
            : { hologramSeen: { of: { hologram: `holo_${at}` } } },
          { text: 'Go on.' },
        ),
        model({ text: `Good ${at}` }),
      ]
  }
}

function writeGeminiEnd(scene: Scene<GeminiEnd>): JsonObject[] {
  const ask = person({ text: typed(scene) })
  switch (scene.kind) {
    case 'request':
      return [ask]
    case 'results':
      return [ask, ...times(scene.count, (index) => geminiCalls(scene, index * 2, 2)).flat()]
    case 'unanswered':
      return [ask, ...geminiCalls(scene, 0, 1).slice(0, 1)]
  }
}

export const geminiStage: Stage<GeminiKind, GeminiEnd> = {
  kinds: ['talk', 'talk', 'calls', 'calls', 'steps', 'picture', 'server', 'code', 'future'],
  ends: ['request', 'request', 'results', 'results', 'unanswered'],
  write: ({ scenes, end, setting }) => ({
    model: setting % 2 ? 'gemini-3-pro-preview' : 'gemini-2.5-pro',
    ...(setting % 3 && { systemInstruction: { parts: [{ text: 'Be brief.' }] } }),
    contents: [...scenes.flatMap(writeGemini), ...writeGeminiEnd(end)],
  }),
}

type SdkKind =
  | 'talk'
  | 'calls'
  | 'picture'
  | 'provider'
  | 'deferred'
  | 'approval'
  | 'compaction'
  | 'future'
  | 'operator'
type SdkEnd = 'request' | 'results' | 'approval' | 'operator' | 'unanswered'

const sdkCall = (scene: Scene, index: number, more: JsonObject = {}): JsonObject => ({
  type: 'tool-call',
  toolCallId: `call_${scene.at}_${index}`,
  toolName: toolOf(scene, index),
  input: pathOf(scene),
  ...more,
})
const sdkResult = (scene: Scene, index: number): JsonObject => ({
  type: 'tool-result',
  toolCallId: `call_${scene.at}_${index}`,
  toolName: toolOf(scene, index),
  output: { type: 'text', value: prose(scene, 'Line') },
})
const sdkApproval = (scene: Scene): JsonObject[] => {
  const approvalId = `approval_${scene.at}`
  const request = { type: 'tool-approval-request', approvalId, toolCallId: `call_${scene.at}_0` }
  const response = { type: 'tool-approval-response', approvalId, approved: true }
  return [
    { role: 'assistant', content: [sdkCall(scene, 0), request] },
    { role: 'tool', content: [response] },
  ]
}

function writeSdk(scene: Scene<SdkKind>): JsonObject[] {
  const { at, count, kind } = scene
  const ask = { role: 'user', content: [{ type: 'text', text: typed(scene) }] }
  const text = { type: 'text', text: said(scene) }
  const answer = { role: 'assistant', content: [text] }
  switch (kind) {
    case 'talk':
      return [ask, answer]
    case 'calls': {
      const calls = times(count, (index) => sdkCall(scene, index))
      const results = times(count, (index) => sdkResult(scene, index))
      return [
        ask,
        { role: 'assistant', content: calls },
        { role: 'tool', content: results },
        answer,
      ]
    }
    case 'picture':
      return [
        {
          role: 'user',
          content: [
            { type: 'file', mediaType: 'image/png', data: PICTURE },
            { type: 'text', text: `See ${at}` },
          ],
        },
        answer,
      ]
    case 'provider':
      return [
        ask,
        {
          role: 'assistant',
          content: [sdkCall(scene, 0, { providerExecuted: true }), sdkResult(scene, 0), text],
        },
      ]
    case 'deferred':
      return [
        ask,
        {
          role: 'assistant',
          content: [sdkCall(scene, 0, { providerExecuted: true }), sdkCall(scene, 1)],
        },
        { role: 'tool', content: [sdkResult(scene, 1)] },
        { role: 'assistant', content: [sdkResult(scene, 0), text] },
      ]
    case 'approval':
      return [ask, ...sdkApproval(scene), { role: 'tool', content: [sdkResult(scene, 0)] }, answer]
    case 'compaction': {
      const openai = {
        type: 'compaction',
        itemId: `cmp_${at}`,
        encryptedContent: `gAAA${prose(scene, 'Hidden').replaceAll(' ', '')}`,
      }
      const compaction = pick(
        [
          { ...text, providerOptions: { anthropic: { type: 'compaction' } } },
          { type: 'custom', kind: 'openai.compaction', providerOptions: { openai } },
        ],
        scene.variant,
      )
      return [
        ask,
        { role: 'assistant', content: [compaction, { type: 'text', text: 'Going on.' }] },
      ]
    }
    case 'future':
      return [
        ask,
        { role: 'assistant', content: [{ type: 'hologram', id: `holo_${at}` }, text] },
        {
          role: 'user',
          content: [
            { type: 'hologram-end', hologramId: `holo_${at}` },
            { type: 'text', text: 'Go on.' },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: `Good ${at}` }] },
      ]
    case 'operator':
      return [ask, { role: 'system', content: operator(scene) }, answer]
  }
}

function writeSdkEnd(scene: Scene<SdkEnd>): JsonObject[] {
  const ask = { role: 'user', content: [{ type: 'text', text: typed(scene) }] }
  switch (scene.kind) {
    case 'request':
      return [ask]
    case 'results':
      return [
        ask,
        { role: 'assistant', content: [sdkCall(scene, 0)] },
        { role: 'tool', content: [sdkResult(scene, 0)] },
      ]
    case 'approval':
      return [ask, ...sdkApproval(scene)]
    case 'operator':
      return [ask, { role: 'system', content: operator(scene) }]
    case 'unanswered':
      return [ask, { role: 'assistant', content: [sdkCall(scene, 0)] }]
  }
}

export const aiSdkStage: Stage<SdkKind, SdkEnd> = {
  kinds: [
    'talk',
    'talk',
    'calls',
    'calls',
    'picture',
    'provider',
    'deferred',
    'approval',
    'compaction',
    'future',
    'operator',
  ],
  ends: ['request', 'request', 'results', 'approval', 'operator', 'unanswered'],
  write: ({ scenes, end, setting }) => ({
    ...(setting % 2 && { system: 'Be brief.' }),
    messages: [...scenes.flatMap(writeSdk), ...writeSdkEnd(end)],
  }),
}
