/** Messages of the API begin with its own name of the field: 'spending_limit.amount'. */
const FIELD_OF_API = /^'[^']*' /

/** A message of the API about one field, with the name that the page gives the field. */
export function nameField(message: string, label: string): string {
  return message.replace(FIELD_OF_API, () => `${label} `)
}
