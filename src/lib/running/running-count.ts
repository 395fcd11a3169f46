/** Counts what is running, for those who wait until nothing is. */
export class RunningCount {
  #count = 0
  #idle: PromiseWithResolvers<void> | undefined

  async run(work: Promise<void>): Promise<void> {
    this.#count += 1
    try {
      await work
    } finally {
      this.#count -= 1
      if (this.#count === 0) this.#idle?.resolve()
    }
  }

  async idle(): Promise<void> {
    while (this.#count > 0) {
      this.#idle = Promise.withResolvers<void>()
      await this.#idle.promise
    }
  }
}
