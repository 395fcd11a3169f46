type TextType = 'application/json' | 'text/csv' | 'text/plain'

/** Saves a text as a file of the person's computer. */
export function saveFile(name: string, text: string, type: TextType): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
