const LENGTH_MAX = 63

/** "Acme & Söhne GmbH" → "acme-sohne-gmbh": a suggestion for a name in addresses. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '')
    .join('-')
    .slice(0, LENGTH_MAX)
}
