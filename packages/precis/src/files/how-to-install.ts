/**
 * Whether npm has the packages. The one switch: set it and run
 * `npx tsx scripts/build-install-docs.ts`, which writes readmes and pages.
 */
const IS_PUBLISHED: boolean = false

export interface HowToInstall {
  /** Where to run the command. Empty if it runs anywhere. */
  readonly where: string
  readonly command: string
}

const IN_A_CLONE = 'In a clone of the repository:'

/** The first look. It installs nothing for the user. */
export const tryPrecis: HowToInstall = IS_PUBLISHED
  ? { where: '', command: 'npx precis' }
  : {
      where:
        'In a clone of the repository, one line installs, builds and runs it (about a minute, and 620 MB of tools for development):',
      command: 'npm ci && npx precis',
    }

/**
 * `precis` and its chat, for every folder of this user. Copies, not links: the clone may go
 * afterwards.
 */
export const installPrecis: HowToInstall = IS_PUBLISHED
  ? { where: '', command: 'npm install --global precis @precis/chat' }
  : {
      where: IN_A_CLONE,
      command: 'npm ci && npm install --global --install-links ./packages/precis ./packages/chat',
    }

/** The chat, for a command that is already installed. */
export const installChat: HowToInstall = IS_PUBLISHED
  ? { where: '', command: 'npm install --global @precis/chat' }
  : { where: IN_A_CLONE, command: 'npm ci && npm install --global --install-links ./packages/chat' }

/** The library in a project. */
export const installLibrary: HowToInstall = IS_PUBLISHED
  ? { where: '', command: 'npm install @precis/core' }
  : {
      where: 'In your project, next to a clone of the repository in which you ran `npm ci`:',
      command: 'npm install --install-links ../precis/packages/core',
    }
