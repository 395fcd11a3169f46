// Writes llms.txt, the list of pages for language models, from the tables of docs/README.md and
// docs/operating/README.md. Its form is that of llmstxt.org.
//   node docs/generate-llms.ts           writes it
//   node docs/generate-llms.ts --check   exits 1 when the committed file differs
import { readFileSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'

const ROOT = new URL('../', import.meta.url)
const FILE = new URL('llms.txt', ROOT)

const SUMMARY = `# Headrace

> Self-hosted inference service: it runs in front of vLLM, SGLang and llama.cpp and adds accounts,
> API keys, exact rate limits, prepaid billing, fair sharing of engines and a web console. Clients
> use the chat-completions convention of OpenAI.

Facts that programs get wrong most often:

- The base URL is \`https://HOST/compat/v1\`; \`/v1\` alone is 404. The endpoints are
  \`POST /chat/completions\`, \`GET /models\` and \`GET /models/MODEL\`.
- A parameter that is not listed in docs/specification.md is 400 \`unsupported_parameter\`.
  \`stop\` has no effect by default.
- \`[DONE]\` ends complete streams only. After 429 and 503 wait for \`Retry-After\`.
- API keys (\`headrace_sk_…\`) are for models, management keys (\`headrace_mk_…\`) for
  \`/management/v1\` of the console.
`

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/** The heading of a page, or its path if it is not a page. */
function titleOf(path: string, label: string): string {
  if (!path.endsWith('.md')) return label
  return /^# (.+)$/m.exec(read(path))?.[1] ?? label
}

/** The links of a row and its last cell, as entries of the list. */
function renderRow(row: string, page: string): string[] {
  const cells = row.split('|').map((cell) => cell.trim())
  const [links = '', text = ''] = cells.slice(1, 3)
  return [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, label = '', target = '']) => {
    const [file = '', anchor] = target.split('#')
    const named = posix.join(posix.dirname(page), file)
    const path = named.endsWith('/') ? `${named}README.md` : named
    const title = anchor === undefined ? titleOf(path, label) : label
    const address = anchor === undefined ? path : `${path}#${anchor}`
    const description = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    return `- [${title}](${address}): ${description}`
  })
}

/** The sections of a page that have tables of links. */
function renderSections(page: string, titled?: string): string[] {
  const [head = '', ...sections] = read(page).split(/^## /m)
  const named = sections.map((section) => [section.split('\n')[0] ?? '', section] as const)
  const all = titled === undefined ? named : [[titled, head] as const]
  return all.flatMap(([title, section]) => {
    const entries = [...section.matchAll(/^\| \[.*\|$/gm)].flatMap(([row]) => renderRow(row, page))
    return entries.length === 0 ? [] : [`## ${title}\n\n${entries.join('\n')}\n`]
  })
}

const current = [
  SUMMARY,
  ...renderSections('docs/README.md'),
  ...renderSections('docs/operating/README.md', 'Operating, page by page'),
].join('\n')
if (!process.argv.includes('--check')) writeFileSync(FILE, current)
else if (readFileSync(FILE, 'utf8') !== current) {
  console.error('llms.txt differs from docs/README.md: run npm run generate')
  process.exitCode = 1
}
