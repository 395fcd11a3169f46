/**
 * The one spelling of an email address that limits count by, comparisons use and look-ups ask for.
 * Only this function changes case: databases and JavaScript do it differently outside ASCII, and
 * then one account would have several spellings with attempts of its own each.
 */
export function normalEmail(text: string): string {
  return text.toLowerCase()
}
