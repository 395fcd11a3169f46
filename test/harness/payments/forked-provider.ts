import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from '../figures/measure.ts'
import { controlOf } from './provider-client.ts'
import type { ProviderOptions } from './scripted-provider.ts'

/** A process starts in seconds, on a busy machine too. */
const START_MS_MAX = 60_000

const PROGRAM = new URL('provider-process.ts', import.meta.url)

/**
 * The scripted provider as a process of its own. Whenever it is killed it starts again on the same
 * port, with what it had answered for. Who reads its books or scripts it waits for that: the fault
 * that struck last may have killed it.
 */
export async function forkProvider(options: Omit<ProviderOptions, 'port'>) {
  let port = 0
  let starts = 0
  let ended = false
  let child: ChildProcess
  const start = async () => {
    child = fork(PROGRAM, [JSON.stringify({ ...options, port })])
    child.once('exit', () => ended || void start())
    const [message] = (await once(child, 'message')) as [{ port: number }]
    port = message.port
    starts += 1
  }
  await start()
  const control = controlOf(`http://127.0.0.1:${port}`)
  return {
    ...control,
    script: async (...orders: Parameters<typeof control.script>) =>
      outlast(async () => control.script(...orders)),
    objects: async () => outlast(control.objects),
    sums: async () => outlast(control.sums),
    starts: () => starts,
    async [Symbol.asyncDispose]() {
      ended = true
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Asks until there is an answer. Nothing is lost by asking twice. */
async function outlast<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  let answer: { readonly value: Answer } | undefined
  const answers = async () => {
    answer = await ask().then(
      (value) => ({ value }),
      (error: unknown) => {
        // What `fetch` throws when nobody listens, or hangs up.
        if (error instanceof TypeError) return undefined
        throw error
      },
    )
    return answer !== undefined
  }
  await waitUntil('the provider to answer', answers, START_MS_MAX)
  return answer!.value
}
