import { sections } from './sections.ts'

export const tailPrompt = `Summarize everything up to now of a long conversation between a person and a coding agent. The agent will go on with your summary in the place of it and will see only the newest messages besides, so whatever is not in your summary is lost to it.

Prefer facts over narration. Keep exact: paths, names, commands, error messages, numbers, and the wording of what the person demanded. Never add a fact that is not there. Say when something is uncertain, superseded, undone or cancelled; what was finished must not read as if it were open. Code only where a few lines of it are needed to go on.

${sections}`
