import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'

const ROOT = resolve(import.meta.dirname, '..')
const PINNED = (readJson('package.json') as { devDependencies: { node: string } }).devDependencies
  .node

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8')
}

function readJson(path: string): unknown {
  return JSON.parse(read(path))
}

test('.nvmrc names the Node.js that npm ci installs', () => {
  assert.equal(read('.nvmrc'), `${PINNED}\n`)
})

test('the dev container has the same major version of Node.js', () => {
  const { image } = readJson('.devcontainer/devcontainer.json') as { image: string }
  assert.equal(/:(?<major>\d+)-/.exec(image)?.groups?.['major'], PINNED.split('.')[0])
})
