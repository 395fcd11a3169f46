import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const HERE = import.meta.dirname
const LOCKED = /^([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}$/

function linesOf(file: string): string[] {
  const text = readFileSync(join(HERE, file), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

const nameOf = (requirement: string) =>
  (/^[A-Za-z0-9._-]+/.exec(requirement)?.[0] ?? '').toLowerCase().replaceAll(/[._]+/g, '-')

for (const file of readdirSync(HERE).filter((name) => name.endsWith('.in'))) {
  const lock = file.replace(/\.in$/, '.txt')
  test(`every package of ${lock} has one hash, and none of ${file} is missing`, () => {
    const locked = linesOf(lock).map((line) => {
      const [, name = ''] = LOCKED.exec(line) ?? []
      assert.notEqual(name, '', line)
      return name
    })
    assert.equal(new Set(locked).size, locked.length)
    for (const wanted of linesOf(file)) assert.ok(locked.includes(nameOf(wanted)), wanted)
  })
}
