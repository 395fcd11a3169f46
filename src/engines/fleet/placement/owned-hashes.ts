import { UseOrder } from './use-order.ts'

/** Something with hashes that belongs to an organization; the index sets its place. */
type Owned<Entry> = {
  readonly organizationId: string
  readonly hashes: readonly number[]
  place: Place<Entry> | undefined
}

export type Place<Entry> = {
  readonly entry: Entry
  /** How many of its hashes are counted. */
  counted: number
  usedMs: number
  older: Place<Entry> | undefined
  newer: Place<Entry> | undefined
}

type Owner<Entry> = { readonly order: UseOrder<Place<Entry>>; hashes: number }

/** How many hashes are remembered for each organization, and its oldest entry. */
export class OwnedHashes<Entry extends Owned<Entry>> {
  readonly #owners = new Map<string, Owner<Entry>>()
  readonly #most: number
  /** The organization that may have more than `most`; only one can have most of them. */
  #greediest = ''

  /** `most`: at least half of all hashes. */
  constructor(most: number) {
    this.#most = most
  }

  /** The oldest entry of the organization that has more than the most that one should have. */
  get excess(): Entry | undefined {
    const owner = this.#owners.get(this.#greediest)
    return owner !== undefined && owner.hashes > this.#most ? owner.order.oldest?.entry : undefined
  }

  used(entry: Entry, nowMs: number): void {
    const { organizationId, hashes } = entry
    const owner = this.#owners.get(organizationId) ?? { order: new UseOrder(), hashes: 0 }
    this.#owners.set(organizationId, owner)
    const unused = { usedMs: nowMs, older: undefined, newer: undefined }
    const place = entry.place ?? { entry, counted: 0, ...unused }
    entry.place = place
    owner.hashes += hashes.length - place.counted
    place.counted = hashes.length
    owner.order.use(place, nowMs)
    if (owner.hashes > this.#most) this.#greediest = organizationId
  }

  removed({ organizationId, place }: Entry): void {
    const owner = this.#owners.get(organizationId)
    if (owner === undefined || place === undefined) return
    owner.order.remove(place)
    owner.hashes -= place.counted
    if (owner.hashes === 0) this.#owners.delete(organizationId)
  }
}
