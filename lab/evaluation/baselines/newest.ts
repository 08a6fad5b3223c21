import { type Baseline, renderNewest } from './baseline.ts'

export const newest: Baseline = {
  name: 'newest',
  title: 'truncation to the newest',
  render: renderNewest,
}
