/** Which summarizer a command works with: `--summarizer` and `--base-url`, over the configuration. */
import { digest, type Summarizer } from '@precis/core'
import type { Command } from 'commander'
import type { SummarizerSettings } from '../configuration/summarizer-settings.ts'
import { MODEL_NAMES } from '../summarizers/summarizer-name.ts'

export interface SummarizerFlags {
  readonly summarizer?: string
  readonly baseUrl?: string
}

export function addSummarizerOptions(command: Command): Command {
  return command
    .option(
      '--summarizer <name>',
      `what writes summaries: "digest" needs no model (default); or a model: ${MODEL_NAMES.join(', ')}`,
    )
    .option('--base-url <url>', 'address of the server that runs the model of --summarizer')
}

/** The SDKs of the providers are loaded only where a model is asked for. */
export async function openSummarizer(settings: SummarizerSettings): Promise<Summarizer> {
  if (settings.name === digest().name) return digest()
  return await (await import('../summarizers/create-summarizer.ts')).createSummarizer(settings)
}
