/** Evaluates recorded sessions: `npm run evaluate -- <sessions>`. */
import { runProcess } from '../../packages/precis/src/cli/run.ts'
import { createEvaluateProgram } from './evaluate.ts'

await runProcess(process.argv.slice(2), createEvaluateProgram)
