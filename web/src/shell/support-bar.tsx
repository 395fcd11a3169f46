import { Link } from '@tanstack/react-router'
import { LifeBuoy } from 'lucide-react'
import { formatInstant } from '../format/time.ts'
import { supportBar as words } from '../words/shell.ts'
import { useOrganization } from './organization.tsx'
import styles from './frame.module.css'

/** Above every page of an organization that is read with the consent of its owner. */
export function SupportBar() {
  const { slug, name, supportUntil } = useOrganization()
  if (supportUntil === null) return null
  return (
    <section className={`strip warn ${styles.aboveThePage}`} aria-label={words.name}>
      <LifeBuoy size={16} aria-hidden />
      <span className="grow">{words.text(name, formatInstant(supportUntil))}</span>
      <Link
        className="btn sm"
        to="/operator/organizations/$organization"
        params={{ organization: slug }}
      >
        {words.leave}
      </Link>
    </section>
  )
}
