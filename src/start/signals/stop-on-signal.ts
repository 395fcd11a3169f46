/**
 * Waits for SIGTERM or SIGINT, or for the end of the process that started this one with a channel,
 * then stops. A second signal exits immediately.
 */
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
  if (process.connected) {
    process.once('disconnect', () => {
      stopping = true
      resolve()
    })
    // The channel alone does not keep the process alive.
    process.channel?.unref()
  }
  await promise
  await stop()
}
