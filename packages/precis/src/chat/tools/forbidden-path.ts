/** What tools leave alone, although it lies in the folder: the insides of a repository, and what is secret by its name. */

const REPOSITORY_FOLDERS = new Set(['.git', '.hg', '.svn'])
const SECRET_FOLDERS = new Set(['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker'])
const SECRET_FILES = new Set([
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.git-credentials',
  '.dockercfg',
  '.vault-token',
  'credentials',
  'credentials.json',
  '.credentials.json',
  'oauth_creds.json',
  'auth.json',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'application_default_credentials.json',
])
const SECRET_ENDINGS = ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore', '.kdbx', '.ppk', '.tfvars', '.tfstate']
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)/
// Templates that are made to be read.
const HARMLESS_ENVIRONMENT = /^\.env\.(?:example|sample|template|dist|defaults)$/

/** Why a path, relative to the folder, is none of the model's business; undefined when it may be used. */
export function findForbiddenPath(relativePath: string): string | undefined {
  for (const part of relativePath.toLowerCase().split(/[\\/]/)) {
    if (REPOSITORY_FOLDERS.has(part)) return `"${part}" holds the inside of the repository`
    if (SECRET_FOLDERS.has(part)) return `"${part}" is a folder of keys`
    if (isSecretFile(part)) return `"${part}" holds secrets by its name`
  }
  return undefined
}

function isSecretFile(name: string): boolean {
  if (name === '.env' || name === '.envrc' || name.startsWith('.env.')) return !HARMLESS_ENVIRONMENT.test(name)
  if (SECRET_FILES.has(name) || SECRET_ENDINGS.some((ending) => name.endsWith(ending))) return true
  return KEY_NAME.test(name) && !name.endsWith('.pub')
}
