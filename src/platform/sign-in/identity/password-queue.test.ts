import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../contract/error.ts'
import { createPasswordQueue, type PasswordParty } from './password-queue.ts'

/** Tasks that end when the test says so, and the order in which they began. */
function openTasks(now: () => number = () => 0) {
  const queue = createPasswordQueue(now)
  const begun: string[] = []
  const refused: string[] = []
  const running: PromiseWithResolvers<void>[] = []
  return {
    begun,
    refused,
    ask(name: string, ...names: string[]) {
      this.askIn('strangers', name, ...names)
    },
    askIn(lane: PasswordParty['lane'], name: string, ...names: string[]) {
      const asking = queue.run({ lane, names }, async () => {
        begun.push(name)
        const task = Promise.withResolvers<void>()
        running.push(task)
        await task.promise
      })
      void asking.catch((error: unknown) => {
        assert.ok(error instanceof ApiError && error.status === 503)
        assert.ok(Number(error.headers['retry-after']) > 0)
        refused.push(name)
      })
    },
    async endOne() {
      running.shift()?.resolve()
      await new Promise(setImmediate)
    },
    settle: () => new Promise(setImmediate),
  }
}

test('two computations run at once, 32 wait in order, and the next is refused', async () => {
  const tasks = openTasks()
  const names = Array.from({ length: 35 }, (_, index) => `${index}`)
  for (const name of names) tasks.ask(name, `person ${name}`)
  await tasks.settle()
  assert.deepEqual(tasks.begun, ['0', '1'])
  assert.deepEqual(tasks.refused, ['34'])
  for (const _ of names) await tasks.endOne()
  assert.deepEqual(tasks.begun, names.slice(0, 34))
})

test('a sign-in overtakes guesses, and displaces one if it is full', async () => {
  const tasks = openTasks()
  for (let guess = 0; guess < 40; guess += 1) tasks.ask(`guess ${guess}`, 'guesser')
  tasks.ask('sign-in', 'person')
  await tasks.settle()
  assert.equal(tasks.refused.length, 7)
  assert.ok(!tasks.refused.includes('sign-in'))
  await tasks.endOne()
  assert.equal(tasks.begun.at(-1), 'sign-in')
})

test('behind a shared address, an account that is not guessed at keeps its place', async () => {
  const tasks = openTasks()
  for (let guess = 0; guess < 20; guess += 1) tasks.ask(`guess ${guess}`, 'proxy', 'a@example.com')
  for (let more = 0; more < 20; more += 1) tasks.ask(`other ${more}`, 'elsewhere', 'a@example.com')
  tasks.ask('sign-in', 'proxy', 'b@example.com')
  await tasks.settle()
  await tasks.endOne()
  assert.ok(!tasks.refused.includes('sign-in'))
})

test('one that was overtaken for too long is refused instead of waiting on', async () => {
  let nowMs = 0
  const tasks = openTasks(() => nowMs)
  for (const name of ['a', 'b', 'c']) tasks.ask(name, name)
  await tasks.settle()
  nowMs = 6_000
  await tasks.endOne()
  assert.deepEqual([tasks.begun, tasks.refused], [['a', 'b'], ['c']])
})

test('whoever is known neither waits for strangers nor is displaced by them', async () => {
  const tasks = openTasks()
  const strangers = Array.from({ length: 40 }, (_, index) => `stranger ${index}`)
  for (const name of strangers) tasks.ask(name, name)
  for (const name of ['a', 'b']) tasks.askIn('known', name, name)
  await tasks.settle()
  assert.deepEqual(tasks.begun, ['stranger 0', 'stranger 1', 'a'])
  assert.ok(!tasks.refused.includes('b'))
  for (let count = 0; count < 3; count += 1) await tasks.endOne()
  assert.ok(tasks.begun.includes('b'))
})

test('the lane of the known is bounded too, and one account does not fill it', async () => {
  const tasks = openTasks()
  for (let count = 0; count < 40; count += 1) tasks.askIn('known', `${count}`, 'a')
  tasks.askIn('known', 'other', 'b')
  await tasks.settle()
  assert.equal(tasks.refused.length, 8)
  await tasks.endOne()
  assert.equal(tasks.begun.at(-1), 'other')
})
