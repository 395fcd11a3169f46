/** Waits for a signal to end, then stops. A second signal ends the process at once. */
export async function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(1)
    asked = true
    resolve()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  await promise
  await stop()
}
