import { sections } from './sections.ts'

export const middlePrompt = `Summarize the middle part of a long conversation between a person and a coding agent. The agent will go on working with your summary in the place of that part; the beginning and the end of the conversation stay as they are, so do not tell what they say again.

Prefer facts over narration. Keep exact: paths, names, commands, error messages, numbers, and the wording of what the person demanded. Never add a fact that is not there. Say when something is uncertain, superseded, undone or cancelled; what was finished must not read as if it were open. Code only where a few lines of it are needed to go on.

${sections}`
