import type { BilledTokens } from '@precis/core'

/** What one request was billed for; a prompt token is counted in exactly one of the four inputs. */
export interface BilledRequest extends BilledTokens {
  readonly model: string
}
