/** What saving is worth on recorded sessions: `npm run saving -- <sessions>`. */
import { runProcess } from '../../../packages/precis/src/cli/run.ts'
import { createSavingProgram } from './saving.ts'

await runProcess(process.argv.slice(2), createSavingProgram)
