import { waitUntil } from '../../harness/figures/measure.ts'
import type { HeadraceProcess } from '../../harness/processes/process.ts'

/** Longer than a busy machine needs; what takes longer has failed. */
export const TIMEOUT_MS = 60_000

/** Resolves to the time from a moment until a process uses so many engines for a model. */
export async function untilEngines(
  api: HeadraceProcess,
  model: string,
  count: number,
  sinceMs: number,
): Promise<number> {
  const series = `headrace_model_engines_healthy{model="${model}"} ${count}\n`
  const isUsed = async () =>
    (await (await fetch(`${api.healthAddress}/metrics`)).text()).includes(series)
  await waitUntil(`${count} engines for ${model}`, isUsed, TIMEOUT_MS)
  return performance.now() - sinceMs
}

/** Whether a process can read a group, by its page. */
export async function untilReadable(api: HeadraceProcess, group: string, readable: boolean) {
  type Page = { discovery: Record<string, { readable: boolean } | undefined> }
  const isIt = async () => {
    const page = (await (await fetch(`${api.healthAddress}/engines`)).json()) as Page
    return page.discovery[group]?.readable === readable
  }
  await waitUntil(`${group} readable: ${readable}`, isIt, TIMEOUT_MS)
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
  const isReloaded = async () => {
    last = await read()
    return (last?.count ?? 0) > before
  }
  await waitUntil('the reload', isReloaded, TIMEOUT_MS)
  return last as Reload
}
