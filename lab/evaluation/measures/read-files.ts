import { listUsedFiles } from './file-uses.ts'
import type { Measure } from './measure.ts'

export const readFiles: Measure = {
  name: 'art_r',
  title: 'files read, named',
  prepare({ past }) {
    const names = listUsedFiles(past, 'read')
    return ({ text }) => ({
      kept: names.filter((name) => text.includes(name)).length,
      total: names.length,
    })
  },
}
