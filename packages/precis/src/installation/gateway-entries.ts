/**
 * An agent that permanently uses a gateway. The records list which entries are precis's, because an
 * address does not show who set it.
 */
import type { Agent, Environment, SettingsEntry } from '../agents/shared/agent.ts'
import type { GatewayAddress } from '../agents/shared/wire.ts'
import { readAgentFile } from './agent-file.ts'
import { findSettingsEntry } from './find-entry.ts'
import { type InstalledGateway, readInstallationRecords } from './installation-records.ts'

/** Undefined if precis did not configure a gateway for it. */
export function findInstalledGateway({ name }: Agent): InstalledGateway | undefined {
  return readInstallationRecords().agents.find(({ agent }) => agent === name)?.gateway
}

/** The entries that precis wrote, according to the records. */
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

/**
 * The entries to add. If the user set the same value already, it stays the user's. Throws
 * `AgentFileError`.
 */
export function listNewGatewayEntries(
  agent: Agent,
  environment: Environment,
  address: GatewayAddress,
): readonly SettingsEntry[] {
  const own = findInstalledGateway(agent)?.entries ?? []
  const entries = agent.wire?.listGatewayEntries?.(environment, address) ?? []
  return entries.filter((entry) => {
    return (
      own.includes(entry.what) ||
      findSettingsEntry(readAgentFile(entry.path), entry).type !== 'installed'
    )
  })
}
