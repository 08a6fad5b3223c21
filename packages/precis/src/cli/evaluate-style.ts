/** The look of the page; its hash is in the page's content security policy. */
export const pageStyle = `
:root { --ink: #1c2128; --faint: #59636e; --line: #d5dae0; --paper: #ffffff; --raised: #f5f7f9; --accent: #0b62c4; --other: #9a5b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --faint: #9ba6b2; --line: #363d46; --paper: #14181d; --raised: #1c2229; --accent: #6cb2ff; --other: #e0a85a; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 8px 0; }
h2 { font-size: 1.2rem; margin: 32px 0 8px; }
h3 { font-size: 1rem; font-weight: 600; margin: 20px 0 6px; }
ul { padding-left: 20px; }
li { overflow-wrap: anywhere; }
.caveats, .legend { color: var(--faint); font-size: 0.9rem; }
.legend .strategy, .legend .baseline { font-weight: 600; }
.strategy { color: var(--accent); }
.baseline { color: var(--other); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(358px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; max-width: 480px; }
figcaption { font-weight: 600; font-size: 0.95rem; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--faint); }
svg .axis { fill: var(--ink); }
svg .label.strategy { fill: var(--accent); font-weight: 600; }
svg .label.baseline { fill: var(--other); }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .leader { stroke: var(--line); stroke-width: 1; fill: none; }
svg .interval line { stroke: currentColor; stroke-width: 1.5; opacity: 0.35; }
svg .dot { fill: currentColor; stroke: var(--paper); stroke-width: 1.5; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 5px 8px; text-align: right; white-space: nowrap; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; background: var(--raised); color: var(--faint); font-weight: 600; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--raised); max-width: 46vw; white-space: normal; }
td small { display: block; color: var(--faint); font-size: 0.72rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; font-size: 0.9rem; }
dt { font-family: ui-monospace, monospace; }
dd { margin: 0; }
`
