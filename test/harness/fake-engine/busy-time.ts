/** How long slots were in use, for each that used them. */
export type BusyTime = {
  /** Somebody uses one slot more, or -1 for one less. */
  change(by: string, more: number): void
  read(): Readonly<Record<string, number>>
}

export function createBusyTime(): BusyTime {
  const running = new Map<string, number>()
  const busyMs = new Map<string, number>()
  let changedMs = performance.now()
  const settle = () => {
    const nowMs = performance.now()
    for (const [by, slots] of running)
      busyMs.set(by, (busyMs.get(by) ?? 0) + slots * (nowMs - changedMs))
    changedMs = nowMs
  }
  return {
    change(by, more) {
      settle()
      running.set(by, (running.get(by) ?? 0) + more)
    },
    read() {
      settle()
      return Object.fromEntries(busyMs)
    },
  }
}

/** The time of all. */
export function sumBusyMs(busyMsBy: Readonly<Record<string, number>>): number {
  return Object.values(busyMsBy).reduce((sum, each) => sum + each, 0)
}
