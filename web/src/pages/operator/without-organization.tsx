import { Link } from '@tanstack/react-router'
import type { OperatorOverview } from '../../api/routes.ts'
import { operator } from '../../words/operator.ts'

const words = operator.overview

/** Admitted people who can do nothing yet: each link leads to one of them. */
export function WithoutOrganization({
  facts,
}: {
  readonly facts: OperatorOverview['without_organization'] | undefined
}) {
  if (facts === undefined || facts.count === 0) return null
  const left = facts.count - facts.newest.length
  return (
    <>
      <p className="card-body ink-2">{words.withoutOrganization(facts.count)}</p>
      <ul className="list">
        {facts.newest.map(({ id, email }) => (
          <li key={id}>
            <div>
              <Link className="cut" to="/operator/accounts/$account" params={{ account: id }}>
                {email}
              </Link>
            </div>
          </li>
        ))}
        {left > 0 && (
          <li className="ink-3">
            <div>{words.andMore(left)}</div>
          </li>
        )}
      </ul>
    </>
  )
}
