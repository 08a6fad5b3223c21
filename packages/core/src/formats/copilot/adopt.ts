import { parseTimestamp } from '../content/parse-timestamp.ts'
import { toInputJson } from '../content/tool-input.ts'
import type { Adoption } from '../conversion/adoption.ts'

/**
 * The agent mode of the extension, as a request names it. VS Code gives an agent the rounds and results of its own requests
 * only; of others it gives the words on the screen.
 */
export const AGENT_MODE = {
  id: 'github.copilot.editsAgent',
  extensionId: { value: 'GitHub.copilot-chat', _lower: 'github.copilot-chat' },
  extensionPublisherId: 'GitHub',
  publisherDisplayName: 'GitHub',
  extensionDisplayName: 'GitHub Copilot',
  name: 'agent',
  fullName: 'GitHub Copilot',
  description: 'Edit files in your workspace in agent mode',
  isDefault: true,
  metadata: {},
  locations: ['panel'],
  modes: ['agent'],
  slashCommands: [],
  disambiguation: [],
}

/** Conversations of other agents as chats of GitHub Copilot. */
export const adoption: Adoption = {
  findProtocol: () => 'openai-chat',
  marksHost: false,
  marksFailures: false,
  encodeInput: toInputJson,
  // Of what earlier requests showed, the extension sends that it was there; their reasoning it does not send.
  encodeMedia: () => undefined,
  encodeReasoning: () => undefined,
  createDocument(_, { sessionId, timestamp }) {
    const state = {
      version: 3,
      creationDate: parseTimestamp(timestamp) ?? 0,
      initialLocation: 'panel',
      responderUsername: 'GitHub Copilot',
      sessionId,
      hasPendingEdits: false,
      requests: [],
      pendingRequests: [],
    }
    return `${JSON.stringify({ kind: 0, v: state })}\n`
  },
}
