import { type Baseline, renderNewest } from './baseline.ts'

const MASK = '[omitted]'

export const maskedAndNewest: Baseline = {
  name: 'masked-and-newest',
  title: 'all results masked + newest',
  render: (items, size) =>
    renderNewest(
      items.map((item) => (item.kind === 'result' ? { ...item, text: MASK } : item)),
      size,
    ),
}
