/**
 * An agent that is pointed at a gateway for good: which of its entries are ours is in the records,
 * as an address does not tell whose it is.
 */
import type { Agent, Environment, SettingsEntry } from '../agents/shared/agent.ts'
import type { GatewayAddress } from '../agents/shared/wire.ts'
import { readAgentFile } from './agent-file.ts'
import { findEntry } from './find-entry.ts'
import { type InstalledGateway, readRecords } from './installation-records.ts'

/** Undefined where precis did not point it anywhere. */
export function findInstalledGateway({ name }: Agent): InstalledGateway | undefined {
  return readRecords().agents.find(({ agent }) => agent === name)?.gateway
}

/** The entries that precis made, as the records say. */
export function listOwnGatewayEntries(
  agent: Agent,
  environment: Environment,
): readonly SettingsEntry[] {
  const gateway = findInstalledGateway(agent)
  if (!gateway) return []
  const entries =
    agent.wire?.listGatewayEntries?.(environment, { url: gateway.url, isVendor: true }) ?? []
  return entries.filter(({ what }) => gateway.entries.includes(what))
}

/** Those to be made: what the user has set to the same is the user's. Throws `AgentFileError`. */
export function listNewGatewayEntries(
  agent: Agent,
  environment: Environment,
  address: GatewayAddress,
): readonly SettingsEntry[] {
  const own = findInstalledGateway(agent)?.entries ?? []
  const entries = agent.wire?.listGatewayEntries?.(environment, address) ?? []
  return entries.filter((entry) => {
    return (
      own.includes(entry.what) || findEntry(readAgentFile(entry.path), entry).type !== 'installed'
    )
  })
}
