import { setTimeout as pause } from 'node:timers/promises'
import type { HeadraceProcess } from '../../harness/process.ts'

/** Longer than a busy machine needs; what takes longer has failed. */
const TIMEOUT_MS = 60_000
const POLL_MS = 20

/** Resolves to the time from a moment until a process uses so many engines for a model. */
export async function untilEngines(
  api: HeadraceProcess,
  model: string,
  count: number,
  sinceMs: number,
): Promise<number> {
  const series = `headrace_model_engines_healthy{model="${model}"} ${count}\n`
  await untilTrue(`${count} engines for ${model}`, async () =>
    (await (await fetch(`${api.healthAddress}/metrics`)).text()).includes(series),
  )
  return performance.now() - sinceMs
}

/** Whether a process can read a group, by its page. */
export async function untilReadable(api: HeadraceProcess, group: string, readable: boolean) {
  type Page = { discovery: Record<string, { readable: boolean } | undefined> }
  await untilTrue(`${group} readable: ${readable}`, async () => {
    const page = (await (await fetch(`${api.healthAddress}/engines`)).json()) as Page
    return page.discovery[group]?.readable === readable
  })
}

type Reload = { readonly count: number; readonly result: string; readonly problems: string[] }

/** Sends SIGHUP and resolves to what became of it. */
export async function reload(api: HeadraceProcess): Promise<Reload> {
  const read = async () => {
    const status = await (await fetch(`${api.healthAddress}/status`)).json()
    return (status as { reload?: Reload }).reload
  }
  const before = (await read())?.count ?? 0
  api.child.kill('SIGHUP')
  let last: Reload | undefined
  await untilTrue('the reload', async () => {
    last = await read()
    return (last?.count ?? 0) > before
  })
  return last as Reload
}

export async function untilTrue(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS
  while (!(await holds())) {
    if (performance.now() > deadlineMs) throw new Error(`still waiting: ${what}`)
    await pause(POLL_MS)
  }
}
