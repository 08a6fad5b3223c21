import { describe, expect, test } from 'vitest'
import { readToolDeeds } from './artifact-deeds.ts'
import { traceArtifacts } from './artifacts.ts'
import { readToolCall } from './tool-calls.ts'

type Step = readonly [
  command: string,
  output: string,
  more?: { readonly failed?: boolean; readonly session?: string },
]

const doneBy = (name: string, input: unknown, text: string, more: Step[2] = {}) => ({
  action: readToolCall({ type: 'tool-call', callId: 'c', name, input }, '/work/app'),
  outcome: { failed: false, text, ...more },
})
/** `pull request #1 open: created, commented` */
const trace = (
  ...done: Parameters<typeof traceArtifacts>[0] extends Iterable<infer Done> ? Done[] : never
) =>
  traceArtifacts(done).map(
    ({ kind, name, state, deeds }) => `${kind} ${name} ${state}: ${deeds.join(', ')}`,
  )
const run = (...steps: Step[]) =>
  trace(...steps.map(([command, ...rest]) => doneBy('Bash', { command }, ...rest)))

const PULL = 'https://github.com/o/r/pull/12'

describe('traceArtifacts', () => {
  test.each<[string, Step[], string[]]>([
    [
      'a pull request from its creation to its merge',
      [
        ['git push -u origin fix && gh pr create --title "a (#3)" --body "closes #4"', `${PULL}\n`],
        [
          'gh pr comment 12 --body "see https://github.com/o/r/pull/9"',
          `${PULL}#issuecomment-77\n`,
        ],
        ['gh pr merge 12 --squash', '✓ Squashed and merged pull request o/r#12 (a)'],
      ],
      [
        `pull request #12 merged: created, commented, merged`,
        `comment ${PULL}#issuecomment-77 made: created`,
      ],
    ],
    [
      'a merge that waits',
      [['gh pr merge 12 --auto', '✓ Pull request o/r#12 will be automatically merged']],
      [],
    ],
    [
      'a merge by its branch',
      [['gh pr merge', '✓ Merged pull request o/r#12 (a)']],
      ['pull request #12 merged: merged'],
    ],
    [
      'issues, also of GitLab',
      [
        ['gh issue create -t a -b b', 'Creating issue in o/r\n\nhttps://github.com/o/r/issues/7\n'],
        ['gh issue close 7 && gh issue reopen 8', '✓ Closed issue o/r#7 (a)'],
        ['glab mr create --fill', 'https://gitlab.com/o/r/-/merge_requests/5'],
        [
          'gh api repos/o/r/pulls/6/comments -f body=hi',
          '{"html_url":"https://github.com/o/r/pull/6#discussion_r9"}',
        ],
        ['gh api repos/o/r/pulls/6/comments; gh issue list; gh pr view 3', `${PULL}`],
      ],
      [
        'issue #7 closed: created, closed',
        'issue #8 open: reopened',
        'pull request !5 open: created',
        'pull request #6 open: commented',
        'comment https://github.com/o/r/pull/6#discussion_r9 made: created',
      ],
    ],
    [
      'a branch, its commits and their push',
      [
        ['git checkout -b fix/a', "Switched to a new branch 'fix/a'"],
        [
          'git commit -m "$(cat <<\'EOF\'\n[x 1234567] no\nEOF\n)"',
          '[fix/a 1111111] One\n 1 file changed',
        ],
        ['git commit --amend --no-edit', '[fix/a 2222222] One\n 1 file changed'],
        ['git push', 'To github.com:o/r.git\n * [new branch]      fix/a -> fix/a\n'],
        ['git commit -qm "two"', ''],
        [
          'git tag v1.2.0 && git push --tags',
          'To github.com:o/r.git\n * [new tag]         v1.2.0 -> v1.2.0',
        ],
        ['git fetch', 'From github.com:o/r\n   aaaaaaa..bbbbbbb  main       -> origin/main'],
        ['git branch -D old', 'Deleted branch old (was ccccccc).'],
        ['gh release create v1.2.0 --notes x', 'https://github.com/o/r/releases/tag/v1.2.0'],
      ],
      [
        'branch fix/a pushed: created, pushed',
        'commit 1111111 replaced: created, replaced',
        'commit 2222222 pushed: created, pushed',
        'tag v1.2.0 pushed: created, pushed',
        'branch old deleted: deleted',
        'release v1.2.0 made: created',
      ],
    ],
    [
      'nothing of what failed, only looked, or was a trial',
      [
        ['gh pr create --fill', `a pull request already exists:\n${PULL}`, { failed: true }],
        [
          'git branch --show-current; git tag -l; git push --dry-run; git branch',
          '[main 1234567] x',
        ],
        ['cd /tmp/trial && git init && git commit -m x', '[main 1234567] x'],
        ['t=$(mktemp -d); git -C $t commit -m x; cd "$t" && git tag v1', '[main 1234567] x'],
        ['echo "git tag v9" # git tag v8', 'git tag v9'],
      ],
      [],
    ],
  ])('%s', (_, steps, expected) => {
    expect(run(...steps)).toEqual(expected)
  })

  test('what a later call hears of a command belongs to the command', () => {
    const begun = doneBy('exec_command', { cmd: 'git commit -m x' }, '', { session: '7' })
    const poll = doneBy('write_stdin', { session_id: 7, chars: '' }, '[main 1234567] x')
    expect(trace(begun, poll)).toEqual(['commit 1234567 made: created'])
  })

  test('a task in the background runs until it is stopped, or is said to have ended', () => {
    const begin = (id: string) =>
      doneBy('Bash', { command: 'npm start' }, `Command running in background with ID: ${id}. x`, {
        session: id,
      })
    const ask = (id: string, status: string) =>
      doneBy('BashOutput', { bash_id: id }, `<status>${status}</status>`)
    const stop = doneBy('KillShell', { shell_id: 'b3' }, 'Successfully killed shell: b3')
    expect(
      trace(
        begin('b1'),
        begin('b2'),
        begin('b3'),
        ask('b1', 'running'),
        ask('b2', 'completed'),
        stop,
      ),
    ).toEqual([
      'background task b1 running: started',
      'background task b2 ended: started, ended',
      'background task b3 ended: started, ended',
    ])
  })

  test('tools tell it by their names and fields', () => {
    const done = [
      doneBy(
        'mcp__github__create_issue',
        { title: 'a' },
        `{"number": 21, "html_url": "https://github.com/o/r/issues/21"}`,
      ),
      doneBy('mcp__github__add_issue_comment', { issue_number: 21, body: 'see #4' }, '{"id": 5}'),
      doneBy('mcp__github__update_issue', { issue_number: 21, state: 'closed' }, '{}'),
      doneBy(
        'mcp__github__merge_pull_request',
        { pullNumber: 3 },
        'Pull Request successfully merged',
      ),
      doneBy('mcp__linear__create_issue', { title: 'b' }, '{"identifier":"ENG-9"}'),
      doneBy('mcp__github__create_branch', { branch: 'fix/b' }, '{}'),
      doneBy('mcp__github__list_issues', { state: 'closed' }, '[{"number": 1}]'),
      doneBy('mcp__github__get_pull_request', { pullNumber: 8 }, PULL),
    ]
    expect(trace(...done)).toEqual([
      'issue #21 closed: created, commented, closed',
      'pull request #3 merged: merged',
      'issue ENG-9 open: created',
      'branch fix/b made: created',
    ])
    expect(traceArtifacts(done)[0]?.url).toBe('https://github.com/o/r/issues/21')
    expect(readToolDeeds('create_file', new Map([['path', 'a.ts']]))).toEqual([])
  })
})
