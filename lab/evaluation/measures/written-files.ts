import { listUsedFiles } from './file-uses.ts'
import type { Measure } from './measure.ts'

export const writtenFiles: Measure = {
  name: 'art_w',
  title: 'files written, named',
  prepare({ past }) {
    const names = listUsedFiles(past, 'written')
    return ({ text }) => ({
      kept: names.filter((name) => text.includes(name)).length,
      total: names.length,
    })
  },
}
