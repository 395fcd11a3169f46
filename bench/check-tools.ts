import { runLoad, type Target } from './load.ts'

const TIMES = ['--conns', '8', '--warmup', '0.1', '--duration', '0.3']

/** Every way in which the engine replies. */
const RIGHT = [
  '--model fake-c8-b8',
  '--model fake-c5-d10',
  '--model fake-c8-b8 --prompt-bytes 200000 --non-ascii',
  '--stream --model fake-c64 --expect 64',
  '--stream --usage --model fake-c10-d5-f10 --expect 10',
  '--stream --usage --model fake-c32-d10-b4-r8 --expect 32',
]

/** A stream that is one chunk shorter than expected, and a path that does not exist. */
const WRONG = ['--stream --model fake-c64 --expect 65', '--model fake-c8-b8 --path /v1/completions']

/** Fails unless the tools agree with each other on what is right, and notice what is not. */
export async function checkTools(engine: Target): Promise<void> {
  const [enginePid = 0] = engine.pids
  const run = (line: string) => runLoad(engine, { load: [...line.split(' '), ...TIMES] }, enginePid)
  for (const line of RIGHT) await run(line)
  for (const line of WRONG) {
    const noticed = await run(line).then(
      () => false,
      () => true,
    )
    if (!noticed) throw new Error(`the load generator did not notice: ${line}`)
  }
}
