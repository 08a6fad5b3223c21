export const rewritePrompt = `Say the text of one message from a conversation with a coding agent in fewer words. Your text takes its place in the conversation, so write it from the same point of view ("I" stays "I", "you" stays "you") and in the same language.

Keep every decision, finding, demand, question and open point. Keep exact: paths, names, commands, error messages, numbers. Leave out repetition, courtesy, filler and what the text only announces. Plain prose or a short list; no heading that the text does not have. Never add a fact, a comment or an answer to the text.`
