import { Link } from '@tanstack/react-router'

type Named = { readonly organization_id: string; readonly organization_name: string }

/** The organization that a payment, invoice or dispute belongs to. */
export function OrganizationLink({ of }: { readonly of: Named }) {
  return (
    <Link to="/operator/organizations/$organization" params={{ organization: of.organization_id }}>
      {of.organization_name}
    </Link>
  )
}
