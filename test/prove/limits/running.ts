// The requests that run at once, counted from the open records, and the clocks of the models.
import type { ConcurrencyLimit, LimitsAsk, ModelShare } from '../../../src/tenancy/rate-limits.ts'
import type { OpenedRecord } from '../../../src/tenancy/usage-record.ts'

type Ask = Pick<LimitsAsk, 'concurrency' | 'record'>

/** Clocks are stored in thousandths. */
const VIRTUAL_TIME_SCALE = 1_000

export class Running {
  readonly #open = new Map<string, OpenedRecord>()
  readonly #clocks = new Map<string, number>()

  open(record: OpenedRecord): void {
    this.#open.set(record.id, record)
  }

  close(id: string): void {
    this.#open.delete(id)
  }

  find(id: string): OpenedRecord | undefined {
    return this.#open.get(id)
  }

  setClock(model: string, stored: number): void {
    this.#clocks.set(model, stored)
  }

  exceeded({ concurrency, record }: Ask): ConcurrencyLimit[] {
    if (record === null) return []
    const { model, credentialId } = record
    const most = model === null ? null : (concurrency.models.get(model) ?? null)
    const isFull = (limit: number | null, count: number) => limit !== null && count >= limit
    const exceeded: [ConcurrencyLimit, boolean][] = [
      ['organization', isFull(concurrency.organization, this.#open.size)],
      ['key', isFull(concurrency.key, this.#count({ credentialId }))],
      ['model', isFull(most, this.#count({ model }))],
    ]
    return exceeded.flatMap(([of, full]) => (full ? [of] : []))
  }

  share({ record }: Ask): ModelShare {
    const model = record?.model ?? null
    if (model === null) return { virtualTime: 0, running: 0 }
    const virtualTime = (this.#clocks.get(model) ?? 0) / VIRTUAL_TIME_SCALE
    return { virtualTime, running: this.#count({ model }) }
  }

  storedClocks(): Record<string, string> {
    return Object.fromEntries(
      Array.from(this.#clocks, ([model, clock]) => [`clock:${model}`, `${clock}`]),
    )
  }

  /** As the hash of the partition has it. */
  stored(): Record<string, string> {
    const counts: Record<string, number> = {}
    for (const record of this.#open.values())
      for (const field of fieldsOf(record)) counts[field] = (counts[field] ?? 0) + 1
    return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`]))
  }

  #count(wanted: Partial<OpenedRecord>): number {
    const names = Object.keys(wanted) as (keyof OpenedRecord)[]
    const found = [...this.#open.values()].filter((each) =>
      names.every((name) => each[name] === wanted[name]),
    )
    return found.length
  }
}

export function fieldsOf({ organizationId, credentialId, model }: OpenedRecord): string[] {
  const fields = [organizationId, `${organizationId}:key:${credentialId}`]
  return model === null ? fields : [...fields, `${organizationId}:model:${model}`]
}
