/**
 * For each session format one session with every kind of record that its page of the docs names as
 * no message. In each, words beginning with "mark" are in that kind of record and nowhere else.
 */
import * as claude from './claude-code/session.suite.ts'
import * as codex from './codex/session.suite.ts'
import * as copilot from './copilot/session.suite.ts'
import * as gemini from './gemini-cli/session.suite.ts'
import * as opencode from './opencode/session.suite.ts'
import * as pi from './pi/session.suite.ts'

interface CopySample {
  /**
   * A session whose first request is "forget this", its second one "keep this". A record that has
   * the words "dangling" names what the first one is about.
   */
  readonly document: string
  /** By the first cell of a row: words of such records, or a name that only they have. */
  readonly marks: Readonly<Record<string, readonly string[]>>
}

const { uuidOf, SESSION_ID: sessionId } = claude
const unsent = (name: string, parent: string, words: string, type = 'hook_success') =>
  claude.attachment(name, parent, { type, content: '', stdout: words })
const link = (name: string, parent: string, type: string, fields: object = {}) => ({
  type,
  uuid: uuidOf(name),
  parentUuid: uuidOf(parent),
  isSidechain: false,
  sessionId,
  ...fields,
})

const claudeCode: CopySample = {
  document: claude.toJsonl([
    { type: 'ai-title', aiTitle: 'mark title', sessionId },
    claude.user('x0', null, 'mark before the boundary'),
    claude.system('b0', null, 'compact_boundary', { content: 'mark boundary' }),
    claude.user('u0', 'b0', 'forget this'),
    claude.assistant('a0', 'u0', [claude.call('toolu_gone')]),
    claude.system('s0', 'a0', 'turn_duration', { content: 'dangling: beside a removed message' }),
    claude.result('r0', 's0', 'toolu_gone', 'forgotten'),
    claude.user('u1', 'r0', 'keep this'),
    claude.assistant('d1', 'u1', [claude.text('mark dead branch')]),
    { ...claude.user('c1', 'u1', 'mark side chain'), isSidechain: true },
    unsent('t1', 'u1', 'mark unsent attachment'),
    claude.attachment('t2', 't1', { type: 'skill_listing', content: 'mark announcement' }),
    claude.attachment('t3', 't2', { type: 'prompt_snapshot', tools: 'mark prompt' }),
    claude.attachment('t4', 't3', { type: 'session_context', context: 'mark context' }),
    link('p1', 't4', 'progress', { data: 'mark progress' }),
    claude.assistant('a1', 'p1', [claude.text('kept')]),
    claude.system('s1', 'a1', 'away_summary', { content: 'mark recap' }),
    { ...claude.assistant('f1', 's1', [claude.text('mark failure')]), isApiErrorMessage: true },
    link('n1', 'f1', 'from-the-future', { content: 'mark unknown entry' }),
    claude.system('s2', 'n1', 'informational', { toolUseID: 'toolu_gone', content: 'dangling' }),
    claude.user('u2', 's2', 'and more'),
    ...['mode', 'permission-mode', 'tag', 'pr-link', 'tools-used', 'atis-latch'].map((type) => ({
      type,
      value: `mark ${type}`,
      sessionId,
    })),
    { type: 'unknown-line', value: 'mark unknown line', sessionId },
    { type: 'unknown-line', of: { deep: [uuidOf('u0')] }, value: 'dangling line', sessionId },
    { type: 'file-history-snapshot', messageId: uuidOf('u1'), snapshot: { x: 'mark files' } },
    ...['cost-state', 'queue-operation', 'api-request', 'api-request-blob'].map((type) => ({
      type,
      value: `mark ${type}`,
      sessionId,
    })),
    { type: 'last-prompt', lastPrompt: 'mark prompt line', leafUuid: uuidOf('u2'), sessionId },
  ]),
  marks: {
    '`system` entries: durations, hook summaries, recaps, errors': ['mark recap'],
    'attachments that it does not send': ['mark unsent attachment'],
    'modes, permission modes, tags, pull requests, `tools-used`, `atis-latch`': [
      'mark mode',
      'mark permission-mode',
      'mark tag',
      'mark pr-link',
      'mark tools-used',
      'mark atis-latch',
    ],
    'unknown entries': ['mark unknown entry', 'mark unknown line'],
    'attachments that it makes anew when it resumes: its environment, model and date, your `CLAUDE.md`, tools, agents, skills, servers':
      ['mark announcement'],
    '`prompt_snapshot`, `session_context`': ['mark prompt"', 'mark context'],
    titles: ['mark title'],
    'file snapshots': ['mark files'],
    '`cost-state`': ['mark cost-state'],
    '`queue-operation`, `last-prompt`, `api-request`, `api-request-shape`, `api-request-blob`': [
      'mark queue-operation',
      'mark prompt line',
      'mark api-request"',
      'mark api-request-blob',
    ],
    'progress, failed requests': ['mark progress', 'mark failure'],
    'compaction boundaries': ['mark boundary'],
    'side chains, dead branches, entries before a boundary': [
      'mark side chain',
      'mark dead branch',
      'mark before the boundary',
    ],
  },
}

const note = (words: string) => ({ message: words, images: [] })
const rollout: CopySample = {
  document: codex.document([
    codex.meta(),
    ...codex.said('mark before a compaction'),
    codex.line('compacted', {
      message: 'mark compaction',
      replacement_history: [codex.userItem('left of it')],
    }),
    codex.event('thread_settings_applied', { thread_id: 'old-id', settings: 'mark old settings' }),
    codex.line('turn_context', { turn_id: 't1', cwd: '/repo', model: 'mark old context' }),
    codex.started(1),
    ...codex.said('forget this'),
    codex.event('warning', note('dangling: beside a removed message')),
    codex.called('gone'),
    ...codex.ran('gone', 'forgotten'),
    codex.event('task_complete', { turn_id: 't1', text: 'dangling: of a removed turn' }),
    codex.event('task_started', { turn_id: 't2', text: 'mark beginning of a turn' }),
    codex.event('thread_settings_applied', { thread_id: 'old-id', settings: 'mark settings' }),
    codex.line('turn_context', { turn_id: 't2', cwd: '/repo', model: 'mark newest context' }),
    codex.line('world_state', { full: 'mark world' }),
    codex.item({ ...codex.userItem('mark announcement'), role: 'developer' }),
    ...codex.said('keep this'),
    codex.item({ type: 'ghost_snapshot', ghost_commit: { id: 'mark ghost' } }),
    codex.line('from_the_future', { keep: 'mark unknown line' }),
    codex.line('from_the_future', { of: ['gone'], text: 'dangling line' }),
    codex.event('warning', note('mark warning')),
    codex.event('token_count', { info: 'mark count' }),
    codex.line('token_usage_record', { usage: 'mark usage' }),
    codex.called('kept'),
    codex.event('exec_command_end', { call_id: 'kept', aggregated_output: 'mark shown output' }),
    codex.item({ type: 'function_call_output', call_id: 'kept', output: 'out' }),
    ...codex.answered('done'),
    ...codex.said('mark rolled back'),
    codex.event('thread_rolled_back', { num_turns: 1 }),
    ...codex.said('and more'),
    codex.event('task_complete', { turn_id: 't2', text: 'mark end of a turn' }),
  ]),
  marks: {
    'events that show a message or a call': ['mark shown output'],
    'beginnings and ends of turns': ['mark beginning of a turn', 'mark end of a turn'],
    'other events, for example warnings and errors': ['mark warning'],
    '`ghost_snapshot`': ['mark ghost'],
    'unknown lines': ['mark unknown line'],
    'the newest `turn_context` and `thread_settings_applied`': [
      'mark newest context',
      'mark settings',
    ],
    'older ones of these two': ['mark old context', 'mark old settings'],
    '`token_count`, `token_usage_record`': ['mark count', 'mark usage'],
    '`world_state`, announcements': ['mark world', 'mark announcement'],
    '`compacted`': ['mark compaction'],
    'lines before a compaction, turns that were rolled back': [
      'mark before a compaction',
      'mark rolled back',
    ],
  },
}

const vscode: CopySample = {
  document: copilot.toBody(
    [
      copilot.request('r0', 'forget this', {
        response: [copilot.markdown('forgotten')],
        rounds: [copilot.round('t0', 'forgotten')],
      }),
      copilot.request('r1', 'keep this', {
        response: [copilot.tool('c1'), copilot.markdown('kept')],
        rounds: [
          copilot.round('t1', '', ['c1', 'mark-unanswered'], {
            thinking: { text: 'mark thought' },
            statefulMarker: 'mark marker',
          }),
          copilot.round('t2', 'kept'),
        ],
        results: { c1: copilot.output('one') },
        metadata: {
          promptTokens: 'mark tokens',
          renderedGlobalContext: 'mark global context',
          unknown: 'mark unknown member',
        },
      }),
      copilot.request('r2', 'mark hidden', { fields: { isHidden: true } }),
      copilot.request('r3', 'mark undone', { fields: { shouldBeRemovedOnSend: {} } }),
      copilot.request('r4', 'and more', { response: [copilot.markdown('more')] }),
    ],
    { unknownFact: 'mark fact' },
  ),
  marks: {
    '`thinking` of a round': ['mark thought'],
    '`renderedGlobalContext`, context of hooks, data in results': ['mark global context'],
    'facts of the session, unknown members': ['mark fact', 'mark unknown member'],
    'calls without a result': ['mark-unanswered'],
    'requests that are hidden, gone back behind or never answered': ['mark hidden', 'mark undone'],
    '`statefulMarker` after the first change, counts of tokens': ['mark marker', 'mark tokens'],
  },
}

const geminiCli: CopySample = {
  document: gemini.toLog([
    { ...gemini.HEADER, unknownFact: 'mark fact' },
    {
      $set: {
        messages: [gemini.user('s0', '<session_context>mark context</session_context>')],
        directories: ['mark directory'],
      },
    },
    gemini.user('u0', 'forget this'),
    { id: 'i0', type: 'info', content: 'dangling: beside a removed message' },
    gemini.answer('g0', 'forgotten', { thoughts: [] }),
    gemini.user('u1', 'keep this'),
    gemini.user('h1', '<hook_context>mark hook</hook_context>'),
    { id: 'i1', type: 'info', content: 'mark notice' },
    { id: 'i2', type: 'info', content: 'dangling', of: 'g0' },
    gemini.user('q1', '/stats mark command'),
    gemini.answer('g1', 'mark written again'),
    gemini.answer('g1', 'kept', {
      thoughts: [{ subject: 'mark thought' }],
      toolCalls: [gemini.call('c1', [gemini.response('c1', 'out')])],
    }),
    gemini.user('k1', [{ ...gemini.response('c1', 'out'), note: 'mark copy' }]),
    gemini.user('x1', 'mark gone back behind'),
    { $rewindTo: 'x1' },
    { $future: 'mark unknown line' },
    { $set: { memoryScratchpad: 'mark pad' } },
    gemini.user('u2', 'and more'),
  ]),
  marks: {
    thoughts: ['mark thought'],
    'notices, slash commands': ['mark notice', 'mark command'],
    '`<session_context>`, `<hook_context>`': ['mark context', 'mark hook'],
    'facts of the session: project, directories, unknown ones': ['mark fact', 'mark directory'],
    'unknown lines': ['mark unknown line'],
    'token counts, `memoryScratchpad`': ['"tokens"', 'mark pad'],
    'second copies of results, copies for the screen of changed results': ['mark copy'],
    'messages that were gone back behind, or written again': [
      'mark gone back behind',
      'mark written again',
    ],
  },
}

const old = opencode.user(opencode.text('mark before a compaction'))
const compaction = opencode.user({ type: 'compaction', auto: true, note: 'mark compaction' })
const forget = opencode.user(opencode.text('forget this'))
const keep = opencode.user(
  opencode.text('keep this'),
  { type: 'file', mime: 'text/plain', url: 'file:///mark-file' },
  { ...opencode.text('mark hidden text'), ignored: true },
)
const failure = { error: { name: 'APIError', data: {} } }
const export1: CopySample = {
  document: opencode.exported(
    [
      old,
      compaction,
      opencode.assistant(compaction, [opencode.text('summary')], { summary: true }),
      forget,
      opencode.user({ ...opencode.text('dangling: beside a removed message'), ignored: true }),
      opencode.assistant(forget, [opencode.text('forgotten')]),
      keep,
      opencode.user({ ...opencode.text('mark hidden message'), ignored: true }),
      opencode.assistant(keep, [
        { type: 'snapshot', snapshot: 'mark snapshot' },
        { type: 'patch', hash: 'mark patch', files: [] },
        { type: 'retry', attempt: 1, error: 'mark retry' },
        { type: 'unknown', value: 'mark unknown part' },
        opencode.text('kept'),
      ]),
      opencode.assistant(keep, [opencode.text('mark failed')], failure),
      opencode.user(opencode.text('and more')),
    ],
    { share: { url: 'mark share' }, parentID: 'mark parent' },
  ),
  marks: {
    'steps, snapshots, patches, retries': [
      'step-start',
      'mark snapshot',
      'mark patch',
      'mark retry',
    ],
    'hidden text': ['mark hidden text', 'mark hidden message'],
    'files whose text is in another part': ['mark-file'],
    'unknown parts and members': ['mark unknown part'],
    compactions: ['"compaction"'],
    'token counts, costs, shares, the parent session': ['170010', 'mark share', 'mark parent'],
    'messages before a compaction, taken back, or failed': [
      'mark before a compaction',
      'mark failed',
    ],
  },
}

const system = (id: string, parent: string | null, content: string) =>
  pi.entry(id, parent, 'message', { message: { role: 'system', content } })
const tree: CopySample = {
  document: pi.toJsonl([
    pi.header(),
    pi.user('x0', null, 'mark before a compaction'),
    pi.entry('k0', 'x0', 'compaction', { summary: 'summary', firstKeptEntryId: 'k0' }),
    system('y0', 'k0', 'mark system'),
    pi.entry('m0', 'y0', 'model_change', { provider: 'mark provider', modelId: 'm' }),
    pi.entry('h0', 'm0', 'thinking_level_change', { thinkingLevel: 'mark level' }),
    pi.user('u0', 'h0', 'forget this'),
    pi.answer('f0', 'u0', [pi.text('dangling: beside a removed message')], { stopReason: 'error' }),
    pi.answer('a0', 'f0', [pi.text('forgotten')]),
    pi.entry('l0', 'a0', 'label', { targetId: 'a0', label: 'dangling' }),
    pi.user('u1', 'l0', 'keep this'),
    pi.answer('d1', 'u1', [pi.text('mark other branch')]),
    pi.answer('a1', 'u1', [pi.text('kept')]),
    pi.entry('l1', 'a1', 'label', { targetId: 'a1', label: 'mark label' }),
    pi.entry('c1', 'l1', 'custom', { customType: 'extension', data: { state: 'mark state' } }),
    pi.entry('c2', 'c1', 'custom', { customType: 'extension', data: { of: 'u0', x: 'dangling' } }),
    pi.answer('f1', 'c2', [pi.text('mark failed')], { stopReason: 'error' }),
    pi.entry('b1', 'f1', 'message', {
      message: { role: 'bashExecution', command: 'mark command', excludeFromContext: true },
    }),
    pi.entry('n1', 'b1', 'session_info', { name: 'mark name' }),
    pi.entry('g1', 'n1', 'usage', { cost: 'mark usage' }),
    pi.entry('z1', 'g1', 'from_the_future', { value: 'mark unknown entry' }),
    pi.entry('e1', 'z1', 'context_edit', {
      targetId: 'a1',
      replacement: { content: [pi.text('edited')] },
      note: 'mark edit',
    }),
    pi.user('u2', 'e1', 'and more'),
  ]),
  marks: {
    '`system`: parts of the system prompt and the list of tools': ['mark system'],
    'models, thinking levels': ['mark provider', 'mark level'],
    'labels, `custom` entries': ['mark label', 'mark state'],
    'failed and aborted answers, commands left out of the context': ['mark failed', 'mark command'],
    'unknown entries': ['mark unknown entry'],
    names: ['mark name'],
    '`usage`': ['mark usage'],
    '`context_edit`': ['mark edit'],
    'other branches, entries before a compaction': [
      'mark other branch',
      'mark before a compaction',
    ],
  },
}

export const copySamples: Readonly<Record<string, CopySample>> = {
  'claude-code': claudeCode,
  codex: rollout,
  copilot: vscode,
  'gemini-cli': geminiCli,
  opencode: export1,
  pi: tree,
}
