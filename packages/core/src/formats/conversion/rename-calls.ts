/** Ids and names of calls that every provider takes. */

// Anthropic takes letters, digits, "_" and "-"; OpenAI 64 of them, and 40 in older deployments.
const VALID_CALL_ID = /^[a-zA-Z0-9_-]{1,40}$/
const INVALID_IN_NAME = /[^a-zA-Z0-9_-]/g
const LONGEST_NAME = 64

export interface CallNames {
  /** The id for the next call that has this one. */
  nameCall(callId: string): string
  /** The id for a result: that of the newest call that had this one. */
  nameResult(callId: string): string
}

/** Ids that are valid stay, unless an earlier call of the session has the same: agents look calls up by id alone. */
export function createCallNames(): CallNames {
  const taken = new Set<string>()
  const newest = new Map<string, string>()
  let count = 0
  const invent = () => {
    let name: string
    do name = `call_precis_${count++}`
    while (taken.has(name))
    return name
  }
  return {
    nameCall(callId) {
      const name = VALID_CALL_ID.test(callId) && !taken.has(callId) ? callId : invent()
      taken.add(name)
      newest.set(callId, name)
      return name
    },
    nameResult: (callId) => newest.get(callId) ?? callId,
  }
}

/** OpenAI takes at most 64 letters, digits, "_" and "-". */
export function toToolName(name: string): string {
  return name.replace(INVALID_IN_NAME, '_').slice(0, LONGEST_NAME) || 'unknown'
}
