/**
 * A reverse proxy that does nothing else, to compare the gateway with:
 * `tsx plain-proxy.ts <upstream>` prints its address.
 */
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { Agent, request } from 'undici'

const [upstream = ''] = process.argv.slice(2)
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

const server = createServer(async (incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers
  const {
    statusCode,
    headers: answered,
    body,
  } = await request(`${upstream}${incoming.url}`, {
    method: 'POST',
    headers,
    body: incoming,
    dispatcher,
  })
  const { connection: ___, 'keep-alive': ____, 'transfer-encoding': _____, ...passed } = answered
  outgoing.writeHead(statusCode, passed)
  pipeline(body, outgoing, () => {})
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
})
