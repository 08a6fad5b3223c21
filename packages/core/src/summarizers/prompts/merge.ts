import { sections } from './sections.ts'

export const mergePrompt = `The text holds several summaries of consecutive parts of one conversation between a person and a coding agent, oldest first. Make one summary of them; the agent will go on with it in their place.

Later parts win over earlier ones: what was open and then finished is done; what was decided and then revised stands revised. Keep what the person demanded, wherever it was said. Say each thing once. Keep exact: paths, names, commands, error messages, numbers. Never add a fact that is not there.

${sections}`
