import { dirname, join } from 'node:path'
import { asObject } from '../../files/lines.ts'
import { SERVER_NAME } from '../ground/entry.ts'
import type { Launch } from '../ground/wire.ts'
import { findSystemSettings, readSettings } from './settings.ts'

const DEFAULTS_VARIABLE = 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH'
const ADDRESSES = {
  google: 'GOOGLE_GEMINI_BASE_URL',
  vertex: 'GOOGLE_VERTEX_BASE_URL',
  'google-internal': 'CODE_ASSIST_ENDPOINT',
} as const

/**
 * Its addresses are variables, one for each way to log in; the server stands in settings below all
 * others, with those that were there (geminicli.com/docs/reference/configuration; tried with
 * 0.61.0).
 */
export const launch: Launch = {
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  upstream: 'google',
  renderSetting: (url) => `${ADDRESSES.google}=${url}`,
  findUpstreams: (environment) =>
    Object.fromEntries(
      Object.entries(ADDRESSES).map(([upstream, name]) => [
        upstream,
        environment[name] || undefined,
      ]),
    ),
  plan({ gateway: { url }, environment, server, folder }) {
    const path = join(folder, 'system-defaults.json')
    const before =
      environment[DEFAULTS_VARIABLE] ||
      join(dirname(findSystemSettings(environment)), 'system-defaults.json')
    const defaults = readSettings(before)
    const own = { command: server.program, args: server.words }
    const mcpServers = { ...asObject(defaults?.mcpServers), [SERVER_NAME]: own }
    // Settings that cannot be read are the agent's to report.
    const settings = defaults && {
      environment: { [DEFAULTS_VARIABLE]: path },
      files: [{ path, text: JSON.stringify({ ...defaults, mcpServers }) }],
    }
    return {
      environment: {
        ...Object.fromEntries(Object.values(ADDRESSES).map((name) => [name, url])),
        ...settings?.environment,
      },
      arguments: [],
      files: settings?.files ?? [],
      recallTool: settings && 'mcp_precis_recall',
    }
  },
}
