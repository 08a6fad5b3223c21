/** @module-tag slow */
import { fileURLToPath } from 'node:url'
import stringWidth from 'string-width'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type PseudoTerminal,
  type PseudoTerminalOptions,
  startOnTerminal,
} from '../../../../test/pseudo-terminal.suite.ts'

const FAKE_CHAT = fileURLToPath(new URL('fake-chat.suite.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

const opened: PseudoTerminal[] = []

afterEach(() => {
  for (const terminal of opened.splice(0)) terminal.close()
})

async function startChat(options: PseudoTerminalOptions = {}): Promise<PseudoTerminal> {
  const terminal = startOnTerminal(['--import', 'tsx', FAKE_CHAT], { directory: ROOT, ...options })
  opened.push(terminal)
  await terminal.see(/^ (?:fake\/)?large .* % /m)
  return terminal
}

async function say(terminal: PseudoTerminal, line: string, answer: string | RegExp): Promise<void> {
  terminal.type(line)
  await terminal.see(line.slice(0, 20))
  terminal.press('enter')
  await terminal.see(answer)
}

const BEGIN_RAW = '\u001b[?2004h'
const END_RAW = '\u001b[?2004l'
const SHOW_CURSOR = '\u001b[?25h'
const HIDE_CURSOR = '\u001b[?25l'

/** Expects that the terminal is as it was before the chat. */
function expectRestored(terminal: PseudoTerminal): void {
  const output = terminal.output()
  expect(output).toContain(BEGIN_RAW)
  expect(output.lastIndexOf(END_RAW)).toBeGreaterThan(output.lastIndexOf(BEGIN_RAW))
  expect(output.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(output.lastIndexOf(HIDE_CURSOR))
}

describe('an answer', () => {
  test('is shown as markdown, with the gauge and the money below', async () => {
    const terminal = await startChat()
    await say(terminal, 'what is wrong?', 'cart.ts │ 12')
    await terminal.see('$0.01')
    const screen = terminal.screen()
    expect(screen).toContain('› what is wrong?')
    expect(screen).toContain('  • first in the cart')
    expect(screen).toContain('  │ const total = net * 1.2')
    expect(screen.find((line) => line.startsWith(' fake/large'))).toMatch(
      /█+·+┊▒+ {2}1\.\dk of 20k · \d %/,
    )
    expect(screen.join('\n')).toMatch(/■ system 1\.2k {2}■ requests \d+ {2}■ answers \d+/)
  })

  test('shows each tool call on one line, and the first lines of an error', async () => {
    const terminal = await startChat()
    await say(terminal, 'tool please', 'One file cannot be read.')
    const screen = terminal.screen()
    expect(screen).toContain('✻ Looking at the file first.')
    expect(screen).toContain('  ● read_file src/cart.ts · 3 lines, 14 B')
    expect(screen).toContain('  ✗ search text=tax · 2 lines, 27 B')
    expect(screen).toContain('    │ cannot be read')
  })

  test('that is asked for again shows nothing of the first attempt', async () => {
    const terminal = await startChat()
    await say(terminal, 'retry please', 'A whole answer.')
    await terminal.miss('Esc cancels')
    expect(terminal.screen().join('\n')).not.toMatch(/first/)
  })

  test('is cancelled with Esc, keeps what was said, and the chat goes on', async () => {
    const terminal = await startChat()
    await say(terminal, 'slow please', 'word3 ')
    expect(terminal.screen().join('\n')).toContain('Esc cancels')
    terminal.press('escape')
    await terminal.see('stopped; what was said stays.')
    await terminal.miss('Esc cancels')
    await say(terminal, 'fail', 'The provider is not there.')
    await terminal.see('Try again later.')
  })

  test('lets the next request wait, and sends it afterwards', async () => {
    const terminal = await startChat()
    await say(terminal, 'long', 'item 60 of a long list')
    await say(terminal, 'slow please', 'word3 ')
    await say(terminal, 'and then?', '1 waiting')
    terminal.press('escape')
    await terminal.see('stopped; what was said stays.')
    await terminal.see(/› and then\?\n─/)
  })

  test('announces an automatic compression in one line with before and after', async () => {
    const terminal = await startChat({ environment: { RESUME: '3f2a' } })
    await say(terminal, 'full', 'There is room again.')
    expect(terminal.screen().join('\n')).toMatch(
      /◆ compressed to make room: 12,000 → 3,000 tokens \(25 %\) · saves \$0\.04 a request/,
    )
    await terminal.see('■ summary')
  })

  test('takes no key of a text that is being written for an answer', async () => {
    const terminal = await startChat({ environment: { STEP_MS: '700' } })
    await say(terminal, '/model fake/small', '› ')
    for (const key of 'typingyyyyyyyyyyy') {
      terminal.type(key)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await terminal.see('Switch the model?')
    expect(terminal.everything().join('\n')).not.toContain('now fake/small answers')
    await new Promise((resolve) => setTimeout(resolve, 900))
    terminal.type('y')
    await terminal.see('now fake/small answers')
    await terminal.see('› typingyyyyyyyyyyy')
  })
})

describe('commands', () => {
  test('/compress shows what it did and what was kept, /undo takes it back', async () => {
    const terminal = await startChat({ environment: { RESUME: '3f2a' } })
    await say(terminal, '/compress the cart', 'facts removed')
    const screen = terminal.screen().join('\n')
    expect(screen).toMatch(/◆ compressed: 12,000 → 3,000 tokens/)
    expect(screen).toContain('facts in removed text: 9 of 12 kept verbatim, 3 missing')
    expect(screen).toContain('your words: 12 messages, 9 word for word, 2 shortened, 1 by recall')
    expect(screen).toContain('one request without a cache: $0.06 before')
    await say(terminal, '/undo', 'compression undone')
    await say(terminal, '/undo', 'there is no compression to undo')
  })

  test('/compress says why nothing happened, and when it will', async () => {
    const terminal = await startChat()
    await say(terminal, '/compress nothing', 'nothing to compress: there are too few messages')
    await terminal.see(/it compresses automatically when a request reaches [\d,]+ tokens/)
  })

  test('/summarize shows its steps, and Esc cancels it', async () => {
    const terminal = await startChat({ environment: { STEP_MS: '400', RESUME: '3f2a' } })
    await say(terminal, '/summarize', 'compressing: plan')
    await terminal.see('compressing: summarize 1 of 3')
    terminal.press('escape')
    await terminal.see('cancelled; the history is as it was.')
    await terminal.miss('Esc cancels')
  })

  test('/model shows what each switch would do, asks, and switches', async () => {
    const terminal = await startChat({ environment: { RESUME: '3f2a' } })
    await say(terminal, '/model', /fake\/tiny .* no /)
    expect(terminal.screen().join('\n')).toMatch(/› fake\/large +20k +in use +\$3 \/ \$15/)
    terminal.press('down')
    terminal.press('down')
    await terminal.see(/› fake\/small +4k +after summary/)
    await terminal.see(/But\s+900\s+cached\s+tokens\s+are\s+sent\s+in\s+full\.\n/)
    terminal.press('enter')
    await terminal.see('Switch the model?')
    terminal.type('n')
    await terminal.see('the model stays.')
    terminal.type('/model fake/small')
    await terminal.see('› /model fake/small')
    await terminal.miss('→')
    terminal.press('enter')
    await terminal.see('Switch the model?')
    terminal.press('enter')
    await terminal.see('compressed for the new model')
    await terminal.see('now fake/small answers.')
    await terminal.see(/^ fake\/small /m)
    await say(terminal, '/model fake/tiny', 'Cannot fit')
  })

  test('/model waits for the answer', async () => {
    const terminal = await startChat()
    await say(terminal, 'slow please', 'word3 ')
    await say(terminal, '/model', '/model has to wait for what runs; Esc cancels it.')
  })

  test('/context shows what fills the window and the fattest items', async () => {
    const terminal = await startChat({ environment: { RESUME: '3f2a' }, rows: 40 })
    await say(terminal, '/context', 'Below the threshold')
    const screen = terminal.screen().join('\n')
    expect(screen).toMatch(/■ answers +2,\d{3} +1\d %/)
    expect(screen).toMatch(/▒ reserve +4,000 +20 %/)
    expect(screen).toContain('Largest items')
    expect(screen).toContain('assistant text')
  })

  test('/pin keeps a text, and alone lists them; /recall finds; /help lists; an unknown one is told its nearest', async () => {
    const terminal = await startChat({ rows: 60 })
    await say(terminal, '/pin the freeze is in May', 'pinned, verbatim')
    await say(terminal, '/pin', '• the freeze is in May')
    await say(terminal, '/unpin the port', '“the port” is no pin.')
    await say(terminal, '/unpin the freeze is in May', 'no longer pinned')
    await say(terminal, '/unpin', 'which pin shall end? /unpin <text>. nothing is pinned.')
    await say(terminal, '/recall cart', '1 removed passage for “cart”')
    await say(terminal, '/recall nowhere', 'nothing that was removed says “nowhere”.')
    await say(terminal, '/help', 'cancel, or clear the line; twice: quit')
    await say(terminal, '/sumarise x', 'Did you mean /summarize')
    await say(terminal, '/zzzzzzzz', 'there is no /zzzzzzzz. /help lists all.')
  })

  test('/resume goes on with another chat, and stays where it cannot', async () => {
    const terminal = await startChat()
    await say(terminal, '/resume missing', 'no such file')
    await say(
      terminal,
      '/resume 77aa',
      'goes on with claude-code 77aa: 24 messages, 1 open tool call answered.',
    )
    expect(terminal.screen().join('\n')).toContain('› Please fix step 11 of the cart.')
    terminal.press('up')
    await terminal.see(/─\n› Please fix step 11 of the cart\.\n─/)
  })

  test('/quit leaves what was said on the terminal, without editor and status', async () => {
    const terminal = await startChat()
    await say(terminal, 'hello', 'cart.ts │ 12')
    terminal.type('/quit\r')
    expect(await terminal.exit).toEqual({ code: 0, signal: 0 })
    expectRestored(terminal)
    const screen = terminal.screen()
    expect(screen).toContain('left')
    expect(screen).toContain('› hello')
    expect(screen.join('\n')).not.toMatch(/▒|───────────────/)
  })
})

describe('the editor', () => {
  test('completes commands and model names', async () => {
    const terminal = await startChat()
    terminal.type('/comp')
    await terminal.see(/→ compress .*make space now/)
    terminal.press('tab')
    await terminal.see(/─\n› \/compress\n─/)
    terminal.type('\u0015/model fake/s')
    await terminal.see(/→ fake\/small/)
  })

  test('takes several lines, and goes back through what was said', async () => {
    const terminal = await startChat()
    terminal.type('first')
    terminal.press('alt-enter')
    terminal.type('second')
    await terminal.see(/› first\n {2}second/)
    terminal.press('enter')
    await terminal.see('cart.ts │ 12')
    terminal.press('up')
    await terminal.see(/─\n› first\n {2}second\n─/)
  })

  test('drops what a pasted text would do to the terminal', async () => {
    const terminal = await startChat()
    terminal.type('\u001b[200~pasted\u009b31m \u202etext\u0007\u001b[201~')
    await terminal.see('› pasted31m text')
  })
})

describe('Ctrl+C and Ctrl+D', () => {
  test('Ctrl+C clears the line, and twice quits', async () => {
    const terminal = await startChat()
    terminal.type('something')
    await terminal.see('› something')
    terminal.press('ctrl-c')
    await terminal.see('Ctrl+C again quits')
    await terminal.miss('something')
    terminal.press('ctrl-c')
    expect((await terminal.exit).code).toBe(0)
    expectRestored(terminal)
  })

  test('Ctrl+C cancels an answer, and twice quits in the middle of it', async () => {
    const terminal = await startChat()
    await say(terminal, 'slow please', 'word3 ')
    terminal.press('ctrl-c')
    await terminal.see('stopped; what was said stays.')
    terminal.press('ctrl-c')
    expect((await terminal.exit).code).toBe(0)
    expectRestored(terminal)
  })

  test('Ctrl+C cancels a compression', async () => {
    const terminal = await startChat({ environment: { STEP_MS: '400', RESUME: '3f2a' } })
    await say(terminal, '/compress', 'compressing: plan')
    terminal.press('ctrl-c')
    await terminal.see('cancelled; the history is as it was.')
  })

  test('Ctrl+C says no to a question, and leaves a list', async () => {
    const terminal = await startChat()
    await say(terminal, '/model', /fake\/tiny .* no /)
    terminal.press('ctrl-c')
    await terminal.miss('fake/tiny')
    await terminal.miss('Ctrl+C again quits')
    await say(terminal, '/model fake/small', 'Switch the model?')
    terminal.press('ctrl-c')
    await terminal.see('the model stays.')
    await terminal.miss('Switch the model?')
  })

  test('Ctrl+D quits on an empty line only', async () => {
    const terminal = await startChat()
    terminal.type('x')
    await terminal.see('› x')
    terminal.press('ctrl-d')
    terminal.press('backspace')
    await terminal.miss('› x')
    terminal.press('ctrl-d')
    expect((await terminal.exit).code).toBe(0)
    expectRestored(terminal)
  })
})

describe('every end gives the terminal back', () => {
  test('SIGTERM in the middle of an answer', async () => {
    const terminal = await startChat()
    await say(terminal, 'slow please', 'word3 ')
    process.kill(terminal.pid, 'SIGTERM')
    expect((await terminal.exit).code).toBe(143)
    expectRestored(terminal)
    expect(terminal.output().lastIndexOf('interrupted')).toBeGreaterThan(
      terminal.output().lastIndexOf(END_RAW),
    )
  })

  test('an error that nobody caught', async () => {
    const terminal = await startChat()
    terminal.type('crash\r')
    expect((await terminal.exit).code).toBe(1)
    expectRestored(terminal)
    expect(terminal.screen().join('\n')).toContain('broken: Error: a bug on purpose')
  })

  test('SIGHUP, as when the window is closed', async () => {
    const terminal = await startChat()
    process.kill(terminal.pid, 'SIGHUP')
    expect((await terminal.exit).code).toBe(129)
    expectRestored(terminal)
  })
})

describe('a parent that is killed', () => {
  test('takes the chat with it, and the terminal is given back', async () => {
    const start = (words: readonly string[], rest: string) =>
      `const child = require('node:child_process').spawn(process.execPath, ${JSON.stringify(words)}, { stdio: 'inherit' }); setTimeout(() => {}, 60_000); ${rest}`
    const parent = start(['--import', 'tsx', FAKE_CHAT], '')
    const outer = start(['-e', parent], `process.on('SIGUSR2', () => child.kill('SIGKILL'))`)
    const terminal = startOnTerminal(['-e', outer], { directory: ROOT })
    opened.push(terminal)
    await terminal.see(/^ fake\/large .* % /m)
    process.kill(terminal.pid, 'SIGUSR2')
    await vi.waitFor(() => expectRestored(terminal), { timeout: 15_000 })
  })
})

describe('widths and colours', () => {
  const startNarrow = () =>
    startChat({ columns: 40, rows: 24, environment: { RESUME: '3f2a', NO_COLOR: '1' } })

  test('at 40 columns there is one short bar of letters, and everything stays within the width', async () => {
    const terminal = await startNarrow()
    expect(terminal.screen().join('\n')).toMatch(/^ large sa+·+┊▒+ \d+ % \$0\.00$/m)
    for (const line of ['tool', '/context', '/compress', '/recall cart', 'hello']) {
      terminal.type(`${line}\r`)
      await terminal.miss('Esc cancels')
    }
    await terminal.see('cart.ts │ 12')
    for (const line of terminal.everything()) expect(stringWidth(line)).toBeLessThanOrEqual(40)
    await say(terminal, '/model', /fake\/tiny/)
    await terminal.see(/fake\/small +4k +after/)
    expect(terminal.output()).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[3[0-9]m`))
  })

  test('after a resize everything is drawn for the new width, and nothing is cleared that is scrolled away', async () => {
    const terminal = await startNarrow()
    await say(terminal, 'long', 'item 60 of a long list')
    terminal.resize(90, 20)
    await terminal.see(/^ fake\/large .* of 20k/m)
    terminal.resize(40, 30)
    await terminal.see(/^ large sa+/m)
    expect(terminal.screen()).toContain('  • item 60 of a long list')
    expect(terminal.output()).not.toContain('\u001b[3J')
    const all = terminal.everything().join('\n')
    for (let item = 1; item <= 60; item++) expect(all).toContain(`item ${item} of`)
  })
})

describe('hostile content', () => {
  test('of answers, calls, outputs, errors and lists reaches the terminal as text', async () => {
    const terminal = await startChat({ rows: 50 })
    const before = terminal.output().length
    await say(terminal, 'hostile', 'hint')
    await say(terminal, '/recall cart', '1 removed passage')
    await terminal.see('EVIL')
    const output = terminal.output().slice(before)
    expect(output).not.toContain('pwned\u0007')
    expect(output).not.toContain('\u001b]0;')
    expect(output).not.toContain('\u001b[2J')
    expect(output).not.toMatch(/[\u009b\u202e]/)
    expect(output).not.toContain('\u0000')
    expect(terminal.screen().join('\n')).toContain('�[2J�]0;pwned�31m�EVIL�')
  })
})
