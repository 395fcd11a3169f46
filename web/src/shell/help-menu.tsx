import { CircleHelp } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { CONTACT, DOCS_URL, STATUS_URL } from '../api/place.ts'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { everywhere } from '../words/everywhere.ts'
import { shell } from '../words/shell.ts'

const Shortcuts = lazy(() =>
  import('./shortcuts.tsx').then((module) => ({ default: module.Shortcuts })),
)

/** Where help is: what the operator named, and the shortcuts. */
export function HelpMenu() {
  const [isListed, setListed] = useState(false)
  return (
    <>
      <Menu label={shell.help} trigger={<CircleHelp size={16} aria-hidden />}>
        <Elsewhere href={DOCS_URL} label={shell.docs} />
        <Elsewhere href={STATUS_URL} label={shell.status} />
        <MenuItem onSelect={() => setListed(true)}>{shell.shortcuts}</MenuItem>
        <Elsewhere
          href={CONTACT === '' || CONTACT.includes('://') ? CONTACT : `mailto:${CONTACT}`}
          label={everywhere.contact}
        />
      </Menu>
      <Suspense>{isListed && <Shortcuts onClose={() => setListed(false)} />}</Suspense>
    </>
  )
}

/** Nothing without an address. */
function Elsewhere({ href, label }: { readonly href: string; readonly label: string }) {
  if (href === '') return null
  return (
    <a role="menuitem" tabIndex={-1} href={href} target="_blank" rel="noreferrer">
      {label}
    </a>
  )
}
