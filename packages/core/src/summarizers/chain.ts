import type { Summarizer, Summary, SummaryRequest, SummaryUsage } from './summarizer.ts'
import { addUsage } from './usage.ts'

/**
 * Asks one summarizer after the other until one gives text. The last is the one that never fails, `digest`.
 * Of several the last is not asked for a rewrite: who wanted a model to say a message in fewer words does not get a list
 * of its names instead, but the message as it is, and the reason.
 */
export function chain(first: Summarizer, ...others: readonly Summarizer[]): Summarizer {
  const summarizers = [first, ...others]
  return {
    name: first.name,
    ...(first.share !== undefined && { share: first.share }),
    summarize: async (request) => {
      const asked = request.brief === 'rewrite' ? [first, ...others.slice(0, -1)] : summarizers
      const problems: string[] = []
      let usage: SummaryUsage | undefined
      let text = ''
      let summarizer = first.name
      for (const member of asked) {
        const summary = await attempt(member, request)
        request.signal?.throwIfAborted()
        usage = addUsage(usage, summary.usage)
        summarizer = summary.summarizer ?? member.name
        for (const problem of summary.problems ?? []) problems.push(`${summarizer}: ${problem}`)
        text = summary.text
        if (text.trim() !== '') break
      }
      return { text, summarizer, ...(usage && { usage }), ...(problems.length > 0 && { problems }) }
    },
  }
}

/** One that breaks is one that gives nothing: the next may still do it. */
async function attempt(summarizer: Summarizer, request: SummaryRequest): Promise<Summary> {
  try {
    return await summarizer.summarize(request)
  } catch (error) {
    request.signal?.throwIfAborted()
    return { text: '', problems: [`it broke: ${error instanceof Error ? error.message : String(error)}`] }
  }
}
