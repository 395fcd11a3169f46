import assert from 'node:assert/strict'
import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { pino } from 'pino'
import { Content } from './content.ts'

const SECRET = 'a-secret-nobody-may-see'
const content = new Content(Buffer.from(SECRET))
const holder = { content, list: [content], map: new Map([['key', content]]) }

async function logged(): Promise<string> {
  const stream = new PassThrough()
  const log = pino({ level: 'trace' }, stream)
  const cause = Object.assign(new Error('cause'), holder)
  const error = Object.assign(new Error(`with ${String(content)}`, { cause }), holder)
  log.info(holder, 'an object')
  log.info({ err: error }, 'an error')
  log.info('as %s %o %j', content, content, content)
  log.child(holder).info('a child')
  stream.end()
  return text(stream)
}

async function printed(): Promise<string> {
  const stdout = new PassThrough()
  const out = new Console({ stdout, stderr: stdout })
  out.log(content, holder, '%s %o %O %j %d', content)
  out.dir(holder, { depth: null, showHidden: true })
  out.table([content])
  out.error(new Error('failed', { cause: content }))
  stdout.end()
  return text(stdout)
}

/** Every known way to turn a value into text. */
const CONVERSIONS: readonly (readonly [string, () => string | Buffer | Promise<string>])[] = [
  ['JSON', () => JSON.stringify(holder)],
  ['a template', () => `a ${content as unknown as string}`],
  ['concatenation', () => ''.concat(content as unknown as string, [content].join(''))],
  ['String', () => String(content) + content.toString()],
  ['toLocaleString', () => content.toLocaleString()],
  ['inspect', () => inspect(holder, { depth: null, showHidden: true, getters: true })],
  ['inspect without customs', () => inspect(holder, { customInspect: false, showHidden: true })],
  ['format', () => format('%s %o %O %j %d %i', content, content, content, content, content)],
  ['entries', () => JSON.stringify([...Object.entries(content), Object.assign({}, content)])],
  ['own names', () => Reflect.ownKeys(content).map(String).join()],
  ['structured clone', () => inspect(structuredClone({ content }), { showHidden: true })],
  ['serialization', () => serialize({ content })],
  ['pino', logged],
  ['a console', printed],
]

describe('content cannot be logged or serialized by accident', () => {
  for (const [name, make] of CONVERSIONS) {
    test(`by ${name}`, async () => {
      const made = Buffer.from(await make())
      assert.equal(made.includes(SECRET), false)
      assert.equal(made.includes(Buffer.from(SECRET).toString('hex')), false)
      assert.equal(made.includes(inspect(Buffer.from(SECRET)).slice('<Buffer '.length, 30)), false)
    })
  }

  test('only `reveal` returns it', () => {
    assert.equal(content.reveal().toString(), SECRET)
    assert.equal(content.byteLength, SECRET.length)
    assert.equal(JSON.stringify(holder.list), '["[content]"]')
  })
})
