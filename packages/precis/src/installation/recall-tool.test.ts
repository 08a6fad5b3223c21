import { describe, expect, test } from 'vitest'
import { agents } from '../agents/index.ts'
import { useScratchHome } from '../agents/scratch-home.suite.ts'
import { applyPlan } from './apply-plan.ts'
import { planInstallation } from './plan-change.ts'
import { findRecallTool } from './recall-tool.ts'

const home = useScratchHome()
const find = (name: string) => agents.find((agent) => agent.name === name)!

describe('findRecallTool', () => {
  const installed = agents.filter(({ installation }) => installation)
  test.each(installed.map((agent) => [agent.name, agent] as const))(
    'names the tool of %s once it is installed',
    async (_, agent) => {
      expect(findRecallTool(agent)).toBeUndefined()
      const { command } = home.places
      await applyPlan(
        planInstallation(
          agent,
          agent.installation?.listEntries({ environment: process.env, command }) ?? [],
        ),
      )
      expect(findRecallTool(agent)).toEqual({ toolName: agent.installation?.recallTool })
      expect(findRecallTool(agent)).toBeDefined()
    },
  )

  test('does not name one that is switched off, foreign, or in a file that nobody can read', () => {
    const own = '"command":["precis","mcp"]'
    home.write('.config/opencode/opencode.json', `{"mcp":{"precis":{${own},"enabled":false}}}`)
    expect(findRecallTool(find('opencode'))).toBeUndefined()
    home.write('.config/opencode/opencode.json', `{"mcp":{"precis":{${own}}}}`)
    expect(findRecallTool(find('opencode'))).toBeDefined()
    home.write(
      '.codex/config.toml',
      '[mcp_servers.precis]\ncommand="precis"\nargs=["mcp"]\nenabled=false',
    )
    expect(findRecallTool(find('codex'))).toBeUndefined()
    home.write('.claude.json', '{"mcpServers":{"precis":{"command":"other"}}}')
    expect(findRecallTool(find('claude-code'))).toBeUndefined()
    home.write('.gemini/settings.json', '{"mcpServers":')
    expect(findRecallTool(find('gemini-cli'))).toBeUndefined()
  })
})
