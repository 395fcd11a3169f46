/** Whether the browser may go there: only hosts of the settings, whatever an answer says. */
export function isKnownPage(url: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && hosts.includes(hostname)
}
