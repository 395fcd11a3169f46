/** Waits for SIGTERM or SIGINT, then stops. A second signal exits immediately. */
export async function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let stopping = false
  const onSignal = () => {
    if (stopping) process.exit(1)
    stopping = true
    resolve()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  await promise
  await stop()
}
