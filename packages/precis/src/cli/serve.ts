import { type Command, Option } from 'commander'
import { agents } from '../agents/index.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { DEFAULT_PORT, type GatewayFlags, readGatewayOptions } from '../gateway/gateway-options.ts'
import type { Gateway } from '../gateway/server.ts'
import { defaultUpstreams, upstreamNames } from '../gateway/upstreams.ts'
import { neutralizeLine } from '../terminal/render.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { exitCodes } from './failure.ts'
import { addDatabaseOption, createLimitParser, parseWindow } from './options.ts'

interface ServeFlags extends GatewayFlags {
  readonly host?: string
  readonly token?: string
}

const DEFAULT_HOST = '127.0.0.1'

export function defineServe(command: Command, terminal: Terminal): void {
  command
    .description(
      'Runs a gateway between coding agents and their providers, until it is stopped. Everything passes byte for byte, except for three actions. It answers an agent’s own compaction immediately, without a model. It shortens a request that would not fit the window. With --save, it compresses history if that saves money. Keys and logins pass through and are never stored.',
    )
    .addOption(createPortOption('the port to listen on (0: any free port)', 0))
    .addOption(
      new Option(
        '--host <address>',
        'the address to listen on (one that other machines can reach needs a token)',
      ).default(undefined, DEFAULT_HOST),
    )
  addGatewayOptions(command)
    .option(
      '--token <token>',
      'the token that clients must send as x-precis-token (default: PRECIS_TOKEN)',
    )
    .addHelpText('after', SERVE_HELP)
    .action((flags: ServeFlags) => serve(flags, command.parent?.version() ?? '', terminal))
}

const MOST_PORT = 65_535

export function createPortOption(meaning: string, least = 1): Option {
  const parse = createLimitParser(MOST_PORT, least)
  return new Option('--port <n>', meaning).argParser(parse).default(undefined, `${DEFAULT_PORT}`)
}

export function addGatewayOptions(command: Command): Command {
  for (const name of upstreamNames) {
    command.addOption(
      new Option(`--upstream-${name} <url>`, `where requests for ${name} go`).default(
        undefined,
        defaultUpstreams[name],
      ),
    )
  }
  return addDatabaseOption(command)
    .option(
      '-w, --window <tokens>',
      'the window of every model (default: the known window of each)',
      parseWindow,
    )
    .option('--save', 'compress even if everything fits, if that is expected to save money')
    .option(
      '--websockets',
      "relay agents' WebSockets, which precis cannot change (default: they use HTTP)",
    )
}

async function serve(flags: ServeFlags, version: string, terminal: Terminal): Promise<void> {
  const configuration = await readConfigured({ database: flags.database })
  const { gateway: settings = {} } = configuration
  const { startGateway } = await import('../gateway/server.ts')
  const token = flags.token ?? (process.env.PRECIS_TOKEN || undefined)
  const gateway = await startGateway({
    ...readGatewayOptions(flags, configuration),
    version,
    port: flags.port ?? settings.port ?? DEFAULT_PORT,
    host: flags.host ?? settings.host ?? DEFAULT_HOST,
    token,
    note: (text) => terminal.note(`precis: ${neutralizeLine(text)}`),
  })
  terminal.print(renderStart(gateway, token))
  await end(gateway, terminal)
  // What still waits for a database that another process holds would wait for minutes.
  process.exit()
}

const NAME_COLUMNS = 13

function renderStart({ url, pageUrl }: Gateway, token: string | undefined): string {
  const asked = token === undefined ? url : `${url}/t/$PRECIS_TOKEN`
  return [
    `precis serves on ${url}. Make agents use it:`,
    ...agents.flatMap(({ title, wire }) => {
      const setting = wire?.launch.renderSetting?.(asked)
      return setting === undefined ? [] : [`  ${title.padEnd(NAME_COLUMNS)} ${setting}`]
    }),
    `  ${'OpenAI SDK'.padEnd(NAME_COLUMNS)} OPENAI_BASE_URL=${asked}/v1`,
    `Its page: ${pageUrl ?? `${asked}/`}`,
  ].join('\n')
}

/**
 * After the first signal, waits up to ten seconds for open answers. The second signal stops
 * immediately.
 */
function end(gateway: Gateway, terminal: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    const close = (signal: NodeJS.Signals) => {
      if (signal === 'SIGINT') process.exitCode = exitCodes.interrupted
      terminal.note('precis: finishing open responses. A second signal stops immediately.')
      gateway.close().then(resolve, reject)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      // Listeners of other commands would end the process immediately.
      process.removeAllListeners(signal)
      process.on(signal, close)
    }
  })
}

const SERVE_HELP = `
Examples:
  precis serve
  ANTHROPIC_BASE_URL=http://127.0.0.1:4141 claude
  precis serve --upstream-anthropic http://127.0.0.1:8080      another gateway behind this one
  PRECIS_TOKEN=$(openssl rand -hex 24) precis serve --host 0.0.0.0

GET /readyz shows whether it is ready, GET /metrics returns numbers for Prometheus. A request with the header "x-precis-bypass: true" passes unchanged.

Exit codes: 0 stopped by a signal, 1 failed, 2 wrong usage, 130 interrupted with Ctrl-C.
`
