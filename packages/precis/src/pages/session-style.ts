/** The style of what a page shows of a session. */

export const sessionStyle = `
header { margin: 12px 0 20px; }
.eyebrow { margin: 0; color: var(--accent); font-weight: 600; font-size: 0.85rem; letter-spacing: 0.02em; }
header h1 { font-size: clamp(1.35rem, 1rem + 2vw, 2.1rem); letter-spacing: -0.015em; margin: 4px 0 10px; }
dl.facts { display: flex; flex-wrap: wrap; gap: 2px 20px; margin: 0; }
.facts div { display: flex; gap: 6px; min-width: 0; }
.facts dt { color: var(--faint); font-family: inherit; }
.facts dd { overflow-wrap: anywhere; min-width: 0; }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(220px, 100%), 1fr)); gap: 12px; margin: 0 0 16px; }
.tiles > div { border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; background: var(--raised); min-width: 0; }
.tiles dt { font-family: inherit; color: var(--faint); font-size: 0.85rem; }
.tiles strong { font-size: 1.75rem; line-height: 1.15; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.tiles small { display: block; color: var(--faint); font-size: 0.82rem; line-height: 1.35; margin-top: 2px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; padding: 8px 0; border-bottom: 1px solid var(--line); font-size: 0.9rem; }
nav a { text-decoration: none; padding: 3px 0; }
nav a:hover { text-decoration: underline; }
section { margin-top: 36px; }
section > h2 { margin: 0 0 10px; font-size: 1.3rem; letter-spacing: -0.01em; }
section > h2 + h3 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.turns { border-bottom: 1px solid var(--line); }
details.turn { border-top: 1px solid var(--line); }
details.turn > summary { display: grid; grid-template-columns: 3.6rem minmax(0, 1fr) minmax(120px, 34%) 11.5rem; gap: 4px 12px; align-items: center; margin: 0; padding: 7px 4px; font-weight: 400; list-style: none; }
details.turn > summary::-webkit-details-marker { display: none; }
details.turn > summary:hover, details.turn[open] > summary { background: var(--raised); }
.turn .number { color: var(--faint); font-variant-numeric: tabular-nums; font-size: 0.9rem; display: flex; justify-content: space-between; }
.turn .number::before { content: "▸"; transition: rotate 0.1s; }
.turn[open] > summary .number::before { rotate: 90deg; }
.turn .request { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow-wrap: anywhere; line-height: 1.35; }
.turn .size { order: 4; text-align: right; font-variant-numeric: tabular-nums; line-height: 1.3; }
.turn .size small { color: var(--faint); display: block; }
.turn .bar { order: 3; }
.folded { color: var(--faint); font-size: 0.85rem; margin: 0; padding: 6px 4px 6px 4.4rem; font-style: italic; }
.turns > .folded { border-top: 1px solid var(--line); }
details ol, ol.items { list-style: none; margin: 0; padding: 0; }
details.turn > ol { padding: 2px 4px 14px 4.4rem; }
ol > li { padding: 8px 0; border-top: 1px solid var(--line); scroll-margin-top: 60px; }
ol > li:first-child { border-top: 0; }
ol > li.folded { padding-left: 0; }
li:target { background: var(--mark); box-shadow: 0 0 0 6px var(--mark); border-radius: 2px; }
li > p { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; margin: 0; font-size: 0.9rem; }
li > p .swatch { margin: 0; }
.fattest pre { max-height: 9.6em; overflow: hidden; }
li .place { color: var(--faint); font-size: 0.8rem; }
li .tokens { margin-left: auto; font-variant-numeric: tabular-nums; font-weight: 600; }
.badge { border: 1px solid currentColor; border-radius: 9px; padding: 0 7px; font-size: 0.75rem; color: var(--warn); }
pre { margin: 6px 0 0; padding: 8px 10px; background: var(--raised); border-radius: 6px; font-size: 0.8rem; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; contain: paint; max-height: 26rem; overflow-y: auto; }
.more { color: var(--faint); }
.strip { margin: 0 0 12px; }
.strip p { margin: 0 0 4px; display: flex; justify-content: space-between; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
.strip svg.bar { height: 34px; border-radius: 6px; background: var(--raised); }
.strip svg.bar rect { stroke-width: 0.5; }
.swatch .total { fill: none; }
ul.keys { list-style: none; margin: 10px 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 28px; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
.keys small { color: var(--faint); }
.command, .commands { font-size: 0.78rem; color: var(--faint); overflow-wrap: anywhere; }
.command { user-select: all; }
.sides { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 12px; margin-top: 4px; }
.sides small { color: var(--faint); }
.sides pre { margin-top: 2px; }
pre.whole { max-height: 36rem; font-size: 0.85rem; padding: 12px 14px; border-left: 3px solid var(--summarized); }
li.kept summary { margin: 0; font-weight: 400; font-size: 0.9rem; color: var(--faint); }
li.kept ul { list-style: none; margin: 4px 0 0; padding: 0 0 0 18px; font-size: 0.82rem; }
li.kept li { padding: 2px 0; }
.ways { padding: 0; list-style: none; }
.ways li { padding: 3px 0; }
`
