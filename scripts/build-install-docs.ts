/**
 * Writes how precis is installed, and the best way for each agent, into every page that says so,
 * between two marks. Run:
 * `npx tsx scripts/build-install-docs.ts`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { agents } from '../packages/precis/src/agents/index.ts'
import {
  type HowToInstall,
  installChat,
  installLibrary,
  installPrecis,
  tryPrecis,
} from '../packages/precis/src/files/how-to-install.ts'
import { type BuiltPage, replaceBlock } from './marked-block.ts'

const PAGES: readonly (readonly [path: string, name: string, text: string])[] = [
  ['README.md', 'try', renderInstallation(tryPrecis)],
  ['README.md', 'install', renderInstallation(installPrecis)],
  ['README.md', 'ways', renderWays()],
  ['README.md', 'install-library', renderInstallation(installLibrary)],
  ['packages/precis/README.md', 'install', renderInstallation(installPrecis)],
  ['packages/chat/README.md', 'install', renderInstallation(installPrecis)],
  ['packages/core/README.md', 'install-library', renderInstallation(installLibrary)],
  ['docs/quick-start.md', 'install-library', renderInstallation(installLibrary)],
  ['docs/commands/chat.md', 'install-chat', renderInstallation(installChat)],
]

export function buildInstallPages(): BuiltPage[] {
  const pages = new Map<string, BuiltPage>()
  for (const [page, name, text] of PAGES) {
    const path = fileURLToPath(new URL(`../${page}`, import.meta.url))
    const { current, built } = pages.get(path) ?? read(path)
    const block = { name, script: 'scripts/build-install-docs.ts', path }
    pages.set(path, { path, current, built: replaceBlock(built, text, block) })
  }
  return [...pages.values()]
}

function renderWays(): string {
  const rows = agents.flatMap(({ title, installation }) => {
    if (!installation) return []
    const { commands, does, cost, answering } = installation.bestWay
    const quote = (command: string) => `\`${command}\``
    const other = answering === undefined ? '' : quote(answering)
    return [`| ${[title, commands.map(quote).join(', '), does, cost, other].join(' | ')} |`]
  })
  const heads = ['agent', 'run', 'at a compaction, precis', 'its cost', 'or, without a model']
  return [`| ${heads.join(' | ')} |`, `|${heads.map(() => ' --- ').join('|')}|`, ...rows].join('\n')
}

function read(path: string): { current: string; built: string } {
  const current = readFileSync(path, 'utf8')
  return { current, built: current }
}

function renderInstallation({ where, command }: HowToInstall): string {
  return `${where === '' ? '' : `${where}\n\n`}\`\`\`sh\n${command}\n\`\`\``
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, built } of buildInstallPages()) writeFileSync(path, built)
}
