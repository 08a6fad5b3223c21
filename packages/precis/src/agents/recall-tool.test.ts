import { describe, expect, test } from 'vitest'
import { useScratchHome } from './agent-files.suite.ts'
import { applyPlan } from './apply-plan.ts'
import { integrations } from './index.ts'
import { planInstallation } from './plan-change.ts'
import { findRecallTool } from './recall-tool.ts'

const home = useScratchHome()

describe('findRecallTool', () => {
  test.each(Object.values(integrations).map((integration) => [integration.agent, integration] as const))(
    'names the tool of %s once it is installed',
    async (agent, { listEntries, recallTool }) => {
      expect(findRecallTool(agent)).toBeUndefined()
      const { command } = home.places
      await applyPlan(planInstallation(agent, listEntries({ environment: process.env, command })))
      expect(findRecallTool(agent)).toEqual({ toolName: recallTool })
      expect(findRecallTool(agent)).toBeDefined()
    },
  )

  test('does not name one that is switched off, foreign, or in a file that nobody can read', () => {
    const own = '"command":["precis","mcp"]'
    home.write('.config/opencode/opencode.json', `{"mcp":{"precis":{${own},"enabled":false}}}`)
    expect(findRecallTool('opencode')).toBeUndefined()
    home.write('.config/opencode/opencode.json', `{"mcp":{"precis":{${own}}}}`)
    expect(findRecallTool('opencode')).toBeDefined()
    home.write('.codex/config.toml', '[mcp_servers.precis]\ncommand="precis"\nargs=["mcp"]\nenabled=false')
    expect(findRecallTool('codex')).toBeUndefined()
    home.write('.claude.json', '{"mcpServers":{"precis":{"command":"other"}}}')
    expect(findRecallTool('claude-code')).toBeUndefined()
    home.write('.gemini/settings.json', '{"mcpServers":')
    expect(findRecallTool('gemini-cli')).toBeUndefined()
  })
})
