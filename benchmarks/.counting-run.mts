import { measureCounting } from './.counting-scratch.mts'
const s=performance.now()
for (const r of await measureCounting()) console.log(r.passed?'ok ':'NO ', r.name, '|', r.value, '|', r.bar)
console.log((performance.now()-s)/1000,'s')
