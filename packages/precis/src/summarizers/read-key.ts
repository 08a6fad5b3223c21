import { statSync } from 'node:fs'
import { ConfigurationError } from '../configuration/configuration-error.ts'
import { readInputFile } from '../input-file.ts'
import { explainSystemError } from '../system-error.ts'
import type { Provider } from './providers.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** For messages. */
export interface KeyPurpose {
  /** `summarizer "openai/…"`. */
  readonly subject: string
  /** What works without a key: a clause. */
  readonly otherwise: string
}

// Bits of group and others.
const SHARED_MODE = 0o077
const LARGEST_KEY_FILE = 10_000

/** The key for a provider, from the file that the person named for it or else from the environment; empty where none is needed. */
export function readKey(
  purpose: KeyPurpose,
  provider: Provider,
  keyFile: string | undefined,
  environment: Environment,
): string {
  if (keyFile !== undefined) return readKeyFile(purpose, keyFile)
  const key = environment[provider.keyVariable]?.trim() ?? ''
  if (key !== '' || !provider.needsKey) return key
  throw new ConfigurationError(
    'missing-key',
    `${purpose.subject.charAt(0).toUpperCase()}${purpose.subject.slice(1)} needs a key: the environment variable ${provider.keyVariable} is not set. Set it, name a "keyFile" in the configuration, or ${purpose.otherwise}.`,
  )
}

function readKeyFile({ subject }: KeyPurpose, path: string): string {
  const doing = `Reading the key of ${subject} from "${path}"`
  let text: string
  try {
    const { mode, size } = statSync(path)
    if (process.platform !== 'win32' && (mode & SHARED_MODE) !== 0) {
      const found = (mode & 0o777).toString(8)
      throw new ConfigurationError(
        'unsafe-key-file',
        `${doing}: others may read it (mode ${found}). Run "chmod 600 ${path}".`,
      )
    }
    text = size > LARGEST_KEY_FILE ? '' : readInputFile(path).toString('utf8').trim()
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw new ConfigurationError('missing-key', `${doing}: ${explainSystemError(error)}.`)
  }
  if (text === '' || /\s/.test(text)) {
    throw new ConfigurationError('missing-key', `${doing}: it has to hold the key on one line and nothing else.`)
  }
  return text
}
