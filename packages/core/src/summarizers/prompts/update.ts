import { sections } from './sections.ts'

export const updatePrompt = `Bring the summary of a conversation between a person and a coding agent up to date. The text holds an earlier summary, marked as such, and the messages that came after it. Write one new summary of both; the agent will go on with it in their place.

Carry over everything of the earlier summary that still holds: above all goal, constraints and decisions, in their own words. Drop only what later messages finished, replaced or cancelled, and say in a few words what became of it. Put what is new where it belongs. Keep exact: paths, names, commands, error messages, numbers, and the wording of what the person demanded. Never add a fact that is not there.

${sections}`
