/** A fetch that records the status of every response, to count the client's requests. */
export function recordStatuses(): { readonly statuses: number[]; readonly fetch: typeof fetch } {
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
