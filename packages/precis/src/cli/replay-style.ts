import { pageStyle } from './evaluate-style.ts'

/** The look of every page, and what only charts over requests have. */
export const replayStyle = `${pageStyle}
h1 { overflow-wrap: anywhere; }
.lead { font-size: 1.05rem; }
.verdict { font-weight: 600; }
.legend .mark::before { content: "│"; margin-right: 2px; }
svg .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
svg .limit { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 5 4; }
svg .limit-name { fill: var(--ink); stroke: var(--paper); stroke-width: 3px; paint-order: stroke; }
svg line.mark { stroke: var(--ink); stroke-width: 1; opacity: 0.3; }
svg circle.mark { fill: var(--ink); }
td.names { text-align: left; white-space: normal; min-width: 12rem; overflow-wrap: anywhere; color: var(--faint); }
table:has(td.names) thead th:last-child { text-align: left; }
th:first-child { min-width: 6.5rem; }
summary { cursor: pointer; margin: 24px 0 8px; font-weight: 600; }
tr.compressed td, tr.compressed th { font-weight: 600; }
`
