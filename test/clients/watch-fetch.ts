/** A fetch that keeps the status of every answer: how often did the client really ask? */
export function watchFetch(): { readonly statuses: number[]; readonly fetch: typeof fetch } {
  const statuses: number[] = []
  return {
    statuses,
    async fetch(...parameters) {
      const response = await fetch(...parameters)
      statuses.push(response.status)
      return response
    },
  }
}
