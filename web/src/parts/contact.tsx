import { CONTACT } from '../api/place.ts'
import { everywhere } from '../words/everywhere.ts'

/** How to reach the operator, if the configuration says it. */
export function Contact({ className }: { readonly className?: string }) {
  if (CONTACT === '') return null
  const href = CONTACT.includes('://') ? CONTACT : `mailto:${CONTACT}`
  return (
    <a className={className} href={href} rel="noopener noreferrer">
      {everywhere.contact}
    </a>
  )
}
