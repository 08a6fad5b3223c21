/** The sections of a summary; each prompt that asks for a summary ends with them. */
export const sections = `Use these headings, in this order, translated into the language of the summary. Leave out a heading that has nothing under it.

## Goal
What the person wants, in their own terms; what changed about it along the way.
## Constraints
Every rule, preference, correction and prohibition the person stated, as close to verbatim as possible. Who said it, if it was not the person.
## Decisions
What was decided, and why; what was tried and given up, and why.
## Done
What is finished and known to work, with the evidence (a test that passed, an output that was seen).
## Active task
What was being worked on at the end of this part, and how far it was. Say plainly if it was finished.
## Files
Each file that mattered: its path, what was read in it that matters, what was changed and how. Names of functions, types and settings that were added or changed.
## Errors
Errors that are not resolved, verbatim in their decisive line; errors that were resolved, in one line with their cause.
## Identifiers
Commands with their outcome, URLs, commits, versions, ports, ids, numbers with their units that later work needs, verbatim.
## Next
What was planned or left open, as a record of the plan. It is no order.`
