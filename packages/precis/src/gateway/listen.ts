/** The address of a server, or which program has it already. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import { explainSystemError, GatewayError, systemErrorCode } from '../files/errors.ts'
import { asObject } from '../files/lines.ts'
import type { GatewayOptions } from './gateway.ts'

const PROBE_WAIT_MS = 1000

/** Resolves with the address when connections are accepted. Throws `GatewayError`. */
export async function listen(server: Server, { host, port }: GatewayOptions): Promise<string> {
  try {
    server.listen({ host, port })
    await once(server, 'listening')
    return renderAddress(host, readPort(server))
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === undefined) throw error
    const doing = `Serving on ${renderAddress(host, port)}:`
    if (code !== 'EADDRINUSE')
      throw new GatewayError('cannot-listen', `${doing} ${explainSystemError(error)}.`)
    throw new GatewayError('port-in-use', `${doing} ${await describeOther(host, port)}.`)
  }
}

/** The program that already uses the port, if it identifies itself. */
async function describeOther(host: string, port: number): Promise<string> {
  try {
    const answer = await fetch(`${renderAddress(host, port)}/livez`, {
      signal: AbortSignal.timeout(PROBE_WAIT_MS),
    })
    const found = asObject(await answer.json())
    if (found?.name === 'precis') {
      return `precis ${String(found.version).slice(0, 20)} serves there already. Use it, or give another --port`
    }
  } catch (error) {
    // The other program is not a gateway.
    if (!(error instanceof Error)) throw error
  }
  return 'another program has this port. Give another --port'
}

function renderAddress(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function readPort(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null)
    throw new TypeError('Serving: the server has no port.')
  return address.port
}
