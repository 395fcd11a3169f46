// Writes both documents of openapi/: from the contract, and from the route table of the management
// API. With --check it only reports whether they are current.
import { readFileSync, writeFileSync } from 'node:fs'
import { apiDocument } from './api-document.ts'
import { managementDocument } from './management-document.ts'

type Document = { readonly components: object }

const DOCUMENTS: Readonly<Record<string, (version: string) => Document>> = {
  'api.json': apiDocument,
  'management.json': managementDocument,
}

/** Moves every named schema into the components and replaces it by a reference. */
export function referenced(document: Document): object {
  const schemas: Record<string, unknown> = {}
  const walk = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    const { $id, ...rest } = node as Record<string, unknown>
    const walked = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, walk(value)]),
    )
    if (typeof $id !== 'string') return walked
    schemas[$id] = walked
    return { $ref: `#/components/schemas/${$id}` }
  }
  const walked = walk(document) as Document
  return { ...walked, components: { ...walked.components, schemas } }
}

export function renderDocument(describe: (version: string) => Document): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return `${JSON.stringify(referenced(describe(version)), null, 2)}\n`
}

if (import.meta.main)
  for (const [name, describe] of Object.entries(DOCUMENTS)) {
    const file = new URL(name, import.meta.url)
    const current = renderDocument(describe)
    if (!process.argv.includes('--check')) writeFileSync(file, current)
    else if (readFileSync(file, 'utf8') !== current) {
      console.error(`openapi/${name} differs from the code: run npm run generate`)
      process.exitCode = 1
    }
  }
