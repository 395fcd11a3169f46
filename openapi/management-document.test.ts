import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ROUTES } from '../src/platform/api/routes.ts'

type Json = null | boolean | number | string | Json[] | { readonly [member: string]: Json }
type JsonObject = Readonly<Record<string, Json>>

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const document = JSON.parse(
  readFileSync(new URL('management.json', import.meta.url), 'utf8'),
) as JsonObject

const operations = Object.entries(document['paths'] as JsonObject).flatMap(([path, item]) =>
  Object.entries(item as JsonObject).map(([method, operation]) => ({
    path,
    method,
    operation: operation as JsonObject,
  })),
)

/** Every object of the document, with the path that leads to it. */
function* walk(node: Json, at = '#'): Generator<{ at: string; node: JsonObject }> {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) yield { at, node }
  for (const [name, value] of Object.entries(node)) yield* walk(value, `${at}/${name}`)
}

function parametersOf(operation: JsonObject, place: string): Json[] {
  const parameters = (operation['parameters'] ?? []) as JsonObject[]
  return parameters.filter((each) => each['in'] === place).map((each) => each['name'] ?? null)
}

describe('the OpenAPI document of the management API', () => {
  test('has the version, the title and only known methods', () => {
    assert.equal(document['openapi'], '3.1.0')
    assert.ok((document['info'] as JsonObject)['title'])
    for (const { path, method } of operations) assert.ok(METHODS.includes(method), path)
    assert.ok(operations.length > 0)
  })

  test('names every operation once', () => {
    const ids = operations.map(({ operation }) => operation['operationId'])
    const repeated = ids.filter((id, at) => ids.indexOf(id) !== at)
    assert.deepEqual(repeated, [])
  })

  test('declares the parameters of every path, each once', () => {
    for (const { path, method, operation } of operations) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
      assert.deepEqual(parametersOf(operation, 'path'), inPath, `${method} ${path}`)
      const inQuery = parametersOf(operation, 'query')
      assert.equal(new Set(inQuery).size, inQuery.length, `${method} ${path}`)
    }
  })

  test('resolves every reference, and every schema has known types', () => {
    const schemas = (document['components'] as JsonObject)['schemas'] as JsonObject
    for (const { at, node } of walk(document)) {
      const reference = node['$ref']
      if (typeof reference === 'string')
        assert.ok(Object.hasOwn(schemas, reference.split('/').at(-1) ?? ''), `${at}: ${reference}`)
      if (
        /\/(schema|items|anyOf\/\d+|properties\/\w+)$/.test(at) &&
        typeof node['type'] === 'string'
      )
        assert.ok(TYPES.includes(node['type']), `${at}: ${node['type']}`)
      assert.ok(!Object.hasOwn(node, '$id'), `${at} has an $id`)
    }
  })

  test('gives every operation one listed tag, a short summary, and an example of its body', () => {
    const tags = (document['tags'] as JsonObject[]).map(({ name }) => name)
    for (const { path, method, operation } of operations) {
      const [tag, ...others] = operation['tags'] as string[]
      assert.ok(tags.includes(tag) && others.length === 0, `${method} ${path}`)
      assert.ok(!/[.:]( |$)/.test(operation['summary'] as string), `${method} ${path}`)
      const { content = {} } = (operation['requestBody'] ?? {}) as { content?: JsonObject }
      for (const body of Object.values(content))
        assert.ok(Object.hasOwn(body as JsonObject, 'example'), `${method} ${path}`)
    }
  })

  test('describes a success and the errors of every operation', () => {
    const schemes = (document['components'] as JsonObject)['securitySchemes'] as JsonObject
    for (const { path, method, operation } of operations) {
      const responses = Object.keys(operation['responses'] as JsonObject)
      assert.ok(
        responses.some((status) => /^[23]\d\d$/.test(status)),
        `${method} ${path}`,
      )
      assert.ok(responses.includes('default'), `${method} ${path}`)
      for (const way of operation['security'] as JsonObject[])
        for (const name of Object.keys(way)) assert.ok(Object.hasOwn(schemes, name), name)
    }
  })
})

test('every route is in the table once', () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  assert.deepEqual(repeated, [])
})
