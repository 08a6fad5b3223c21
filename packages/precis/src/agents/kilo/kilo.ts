import { createOpencodeAgent } from '../opencode/create-opencode-agent.ts'

/** A fork of OpenCode. Rows of `~/.local/share/kilo/kilo.db`, in the same tables (seen in 7.7.7). */
export const kilo = createOpencodeAgent({
  name: 'kilo',
  title: 'Kilo CLI',
  begin: 'precis install kilo',
  variables: 'KILO',
  settings: ['kilo', 'opencode'],
  projectFolders: ['.kilocode', '.kilo'],
})
