/** An item of a heap, which sets its place. */
export type Placed = { place: number }

/** Items of which the first is known, in logarithmic time for each change. */
export class Heap<Item extends Placed> {
  readonly #isBefore: (one: Item, other: Item) => boolean
  readonly #items: Item[] = []

  constructor(isBefore: (one: Item, other: Item) => boolean) {
    this.#isBefore = isBefore
  }

  get size(): number {
    return this.#items.length
  }

  get first(): Item | undefined {
    return this.#items[0]
  }

  add(item: Item): void {
    this.#items.push(item)
    this.#rise(item, this.#items.length - 1)
  }

  remove(item: Item): void {
    const last = this.#items.pop()
    if (last === undefined || last === item) return
    this.#put(last, item.place)
    this.moved(last)
  }

  /** What decides about its order has changed. */
  moved(item: Item): void {
    this.#rise(item, item.place)
    this.#sink(item, item.place)
  }

  /** The first that passes. Fast if few before it do not. */
  find(passes: (item: Item) => boolean): Item | undefined {
    const next = this.#items.slice(0, 1)
    while (true) {
      const first = next.reduce<Item | undefined>(
        (least, item) => (least === undefined || this.#isBefore(item, least) ? item : least),
        undefined,
      )
      if (first === undefined || passes(first)) return first
      next.splice(next.indexOf(first), 1)
      next.push(...this.#items.slice(2 * first.place + 1, 2 * first.place + 3))
    }
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item
    item.place = place
  }

  #rise(item: Item, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above]
      if (parent === undefined || !this.#isBefore(item, parent)) break
      this.#put(parent, place)
      place = above
    }
    this.#put(item, place)
  }

  #sink(item: Item, from: number): void {
    let place = from
    while (true) {
      let below = 2 * place + 1
      let child = this.#items[below]
      const right = this.#items[below + 1]
      if (child !== undefined && right !== undefined && this.#isBefore(right, child)) {
        child = right
        below += 1
      }
      if (child === undefined || !this.#isBefore(child, item)) break
      this.#put(child, place)
      place = below
    }
    this.#put(item, place)
  }
}
