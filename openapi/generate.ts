// Writes openapi/api.json from the contract. With --check it only reports whether it is current.
import { readFileSync, writeFileSync } from 'node:fs'
import { apiDocument } from './api-document.ts'

const FILE = new URL('api.json', import.meta.url)

/** Moves every named schema into the components and replaces it by a reference. */
export function referenced(document: ReturnType<typeof apiDocument>): object {
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
  const walked = walk(document) as ReturnType<typeof apiDocument>
  return { ...walked, components: { ...walked.components, schemas } }
}

export function renderApiDocument(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return `${JSON.stringify(referenced(apiDocument(version)), null, 2)}\n`
}

if (import.meta.main) {
  const current = renderApiDocument()
  if (!process.argv.includes('--check')) writeFileSync(FILE, current)
  else if (readFileSync(FILE, 'utf8') !== current) {
    console.error('openapi/api.json differs from the contract: run npm run generate')
    process.exitCode = 1
  }
}
