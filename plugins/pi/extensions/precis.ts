// Written by scripts/build-plugins.ts.
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The module of the installed command; undefined where there is none, or "precis install" put in what does the same. */
const findModule = () => {
  if (existsSync(join(process.env.PI_CODING_AGENT_DIR || join(homedir(), '.pi', 'agent'), 'extensions', 'precis.ts'))) return undefined
  const command = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'precis')).find((path) => existsSync(path))
  if (command === undefined) throw new Error("precis is not on the PATH: its README says how to install it")
  return new URL("../dist/agents/pi/extension.js", pathToFileURL(realpathSync(command))).href
}

export default async function (pi) {
  try {
    const module = findModule()
    if (module === undefined) return
    const { extendPi } = await import(module)
    extendPi(pi, { program: 'precis', words: [] })
  } catch (error) {
    pi.on('session_start', (_event, context) => {
      context.ui.notify(String(error), 'warning')
    })
  }
}
