import { sessionStyle } from './session-style.ts'

/**
 * The style of every page. Its hash is in their content security policy. Text colors have a
 * contrast of at least 4.5 on both backgrounds, and colors of pictures at least 3.
 */
const COLORS = `
:root { color-scheme: light dark; --ink: #1c2128; --faint: #59636e; --line: #d5dae0; --paper: #ffffff; --raised: #f5f7f9; --accent: #0b62c4; --other: #9a5b00; --warn: #b3261e;
  --system: #77818c; --user: #0b62c4; --assistant: #14805a; --reasoning: #8250df; --calls: #a86c00; --results: #cf4a22;
  --kept: #14805a; --changed: #a86c00; --summarized: #8250df; --removed: #c93c37; --added: #0b62c4; --mark: #fff3c4; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --faint: #9ba6b2; --line: #363d46; --paper: #14181d; --raised: #1c2229; --accent: #6cb2ff; --other: #e0a85a; --warn: #ff8f87;
    --system: #87929e; --user: #58a6ff; --assistant: #3fb68b; --reasoning: #b28cff; --calls: #e0ac3f; --results: #ff8a65;
    --kept: #3fb68b; --changed: #e0ac3f; --summarized: #b28cff; --removed: #ff7b72; --added: #58a6ff; --mark: #3a3000; }
}
.k-system { fill: var(--system); } .k-user { fill: var(--user); } .k-assistant { fill: var(--assistant); }
.k-reasoning { fill: var(--reasoning); } .k-calls { fill: var(--calls); } .k-results { fill: var(--results); }
.r-cached { fill: var(--assistant); } .r-written { fill: var(--calls); } .r-input { fill: var(--results); }
.f-kept { fill: var(--kept); } .f-changed { fill: var(--changed); } .f-summarized, .f-summary { fill: var(--summarized); }
.f-removed, .f-missing { fill: var(--removed); } .f-added, .f-retrievable { fill: var(--added); }
.f-verbatim { fill: var(--kept); } .f-stale { fill: var(--system); }
`

const TEXT = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 12px; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 8px 0; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.2rem; margin: 32px 0 8px; }
h3 { font-size: 1rem; font-weight: 600; margin: 20px 0 6px; }
ul { padding-left: 20px; }
li { overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.lead { font-size: 1.05rem; }
.verdict { font-weight: 600; }
.caveats, .legend, .hint, footer { color: var(--faint); font-size: 0.9rem; }
.hint { margin: 6px 0; }
.legend .strategy, .legend .baseline { font-weight: 600; }
.legend .mark::before { content: "│"; margin-right: 2px; }
.strategy { color: var(--accent); }
.baseline { color: var(--other); }
summary { cursor: pointer; margin: 24px 0 8px; font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; font-size: 0.9rem; }
dt { font-family: ui-monospace, monospace; }
dd { margin: 0; }
footer { border-top: 1px solid var(--line); margin-top: 48px; padding-top: 8px; }
`

const TABLES = `
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 5px 8px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; background: var(--raised); color: var(--faint); font-weight: 600; white-space: normal; vertical-align: bottom; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--raised); max-width: 46vw; min-width: 9rem; white-space: normal; overflow-wrap: anywhere; }
tbody th { font-weight: 500; }
td small, tbody th small { display: block; color: var(--faint); font-size: 0.72rem; }
td[data-title="your messages"] { white-space: normal; min-width: 7rem; }
td.names { text-align: left; white-space: normal; min-width: 12rem; overflow-wrap: anywhere; color: var(--faint); }
.names ul { margin: 0; padding-left: 0.9rem; }
table:has(td.names) thead th:last-child, thead th:has(~ th:last-child):nth-child(2):nth-last-child(2) { text-align: left; }
td.bar { width: 22%; min-width: 90px; vertical-align: middle; }
td.bar .bar { height: 8px; }
tr.compressed td, tr.compressed th { font-weight: 600; }
.legend-table { width: auto; min-width: min(100%, 340px); margin: 10px 0; }
.legend-table th, .legend-table td { white-space: normal; }
.legend-table caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.legend-table th:first-child, .legend-table thead th { background: none; position: static; max-width: none; min-width: 0; font-weight: 500; overflow-wrap: normal; }
.legend-table thead th { color: var(--faint); }
.legend-table tbody tr:first-child > * { border-top-color: var(--ink); }
`

const PICTURES = `
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(358px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; }
.pictures figure { max-width: 480px; }
figcaption { font-weight: 600; font-size: 0.95rem; margin: 12px 0 6px; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--faint); }
svg .axis { fill: var(--ink); }
svg .label.strategy { fill: var(--accent); font-weight: 600; }
svg .label.baseline { fill: var(--other); }
svg .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
svg .leader { stroke: var(--line); stroke-width: 1; fill: none; }
svg .interval line { stroke: currentColor; stroke-width: 1.5; opacity: 0.35; }
svg .dot { fill: currentColor; stroke: var(--paper); stroke-width: 1.5; }
svg .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
svg .limit { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
svg .limit-name { fill: var(--ink); stroke: var(--paper); stroke-width: 3px; paint-order: stroke; }
svg line.mark { stroke: var(--ink); stroke-width: 1; opacity: 0.3; }
svg circle.mark { fill: var(--ink); }
svg.bar { height: 10px; border-radius: 3px; overflow: hidden; }
svg.bar rect { stroke: var(--paper); stroke-width: 1; vector-effect: non-scaling-stroke; }
svg.swatch { display: inline-block; width: 10px; height: 10px; margin-right: 7px; vertical-align: baseline; }
svg.meter { height: 6px; border-radius: 3px; margin: 6px 0 4px; overflow: hidden; }
.meter .track { fill: var(--line); }
.meter .used { fill: var(--accent); }
.meter .full { fill: var(--results); }
.big-bar svg.bar { height: 36px; border-radius: 6px; }
.chart { display: grid; grid-template-columns: max-content 1fr; grid-template-rows: 240px auto; gap: 4px 8px; }
.chart .plot { height: 100%; overflow: visible; }
.chart .plot .limit { stroke: var(--ink); stroke-width: 1.5; }
.chart .plot line.mark { stroke-width: 2; opacity: 1; stroke-dasharray: none; vector-effect: non-scaling-stroke; }
.chart .column { fill: transparent; }
.chart .column:hover, .chart a:focus .column { fill: var(--ink); fill-opacity: 0.12; }
.y-axis, .x-axis { display: flex; justify-content: space-between; font-size: 0.75rem; color: var(--faint); font-variant-numeric: tabular-nums; }
.y-axis { flex-direction: column; text-align: right; margin: -0.6em 0; line-height: 1.2; }
.x-axis { grid-column: 2; }
`

const FORMS = `
article.session { border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; margin: 0 0 12px; }
article.session h3 { margin: 0 0 6px; overflow-wrap: anywhere; }
article.session h3 code { font-weight: 400; font-size: 0.85rem; color: var(--faint); }
.gauge { margin: 0 0 6px; font-size: 0.9rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.session details > summary { margin: 10px 0 0; font-size: 0.9rem; }
.session li > p.hint, .session li > p.commands { display: block; margin: 4px 0 0; }
.badge.live { color: var(--accent); font-weight: 600; vertical-align: 2px; }
p > code { overflow-wrap: anywhere; }
td code.command { white-space: nowrap; }
form label { display: inline-block; }
input, button { font: inherit; color: inherit; }
input[type="password"] { border: 1px solid var(--faint); border-radius: 6px; background: var(--paper); padding: 5px 8px; max-width: 100%; }
button { border: 1px solid var(--faint); border-radius: 6px; background: var(--raised); padding: 6px 14px; cursor: pointer; }
button:hover { border-color: var(--ink); }
`

const NARROW = `
@media (max-width: 640px) {
  main { padding: 12px; }
  details.turn > summary { grid-template-columns: 3rem minmax(0, 1fr) max-content; }
  .turn .request { grid-column: 2 / -1; }
  .turn .size small { display: none; }
  .turn .bar { grid-column: 1 / 3; }
  details.turn > ol { padding-left: 4px; }
  .folded { padding-left: 4px; }
  dl.tiles { grid-template-columns: 1fr 1fr; gap: 8px; }
  .tiles > div { padding: 10px; }
  .tiles strong { font-size: 1.35rem; }
  .chart { grid-template-rows: 180px auto; }
  .scroll thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr:has(> [data-title]) { display: grid; grid-template-columns: repeat(auto-fill, minmax(108px, 1fr)); }
  tr:has(> [data-title]) > th { grid-column: 1 / -1; position: static; max-width: none; }
  td[data-title] { border-top: 0; text-align: left; white-space: normal; overflow-wrap: anywhere; }
  td[data-title]::before { content: attr(data-title); display: block; color: var(--faint); font-size: 0.72rem; }
  td.names[data-title] { grid-column: 1 / -1; }
  td.bar[data-title], td[data-title]:empty { display: none; }
  .legend-table th, .legend-table td { padding: 4px 5px; }
  .legend-table { min-width: 0; width: 100%; }
  .sides { grid-template-columns: minmax(0, 1fr); gap: 6px; }
  ul.keys { display: grid; grid-template-columns: 1fr; }
  .keys li { display: grid; grid-template-columns: max-content 1fr max-content 3rem; align-items: baseline; }
  .keys small { text-align: right; }
}
@media print {
  :root { --paper: #ffffff; --raised: #ffffff; }
  nav, .hint { display: none; }
  section, figure, tr, li { break-inside: avoid; }
  pre { max-height: none; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`

export const pageStyle = [COLORS, TEXT, TABLES, PICTURES, sessionStyle, FORMS, NARROW].join('')
