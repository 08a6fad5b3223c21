import { createOpencodeDriver } from './opencode.ts'

export const kilo = createOpencodeDriver({
  agent: 'kilo',
  package: '@kilocode/cli',
  program: 'bin/kilo',
  lacks: [],
})
