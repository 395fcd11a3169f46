import { Check, X } from 'lucide-react'
import type { RequestDetail } from '../../api/routes.ts'
import { formatCount, formatDecimal } from '../../format/number.ts'
import { formatDuration } from '../../format/time.ts'
import { request as words } from '../../words/request.ts'
import styles from './requests.module.css'

type RefusedBy = NonNullable<RequestDetail['error']>

/** What the request needed of each limit, what was left, and how long it would have to wait. */
export function CheckedLimits({ error }: { readonly error: RefusedBy }) {
  const { check } = words
  return (
    <>
      <div className={styles.checkWrap} tabIndex={0} role="region" aria-label={check.caption}>
        <table className={styles.check}>
          <caption className="sr">{check.caption}</caption>
          <thead>
            <tr>
              <th scope="col">{check.limit}</th>
              <th scope="col" className="num">
                {check.needed}
              </th>
              <th scope="col" className="num">
                {check.left}
              </th>
              <th scope="col" className="num">
                {check.of}
              </th>
              <th scope="col">{check.result}</th>
            </tr>
          </thead>
          <tbody>
            {error.checked.map((one) => (
              <LimitRow key={one.limit} {...one} hit={error.limits.includes(one.limit)} />
            ))}
          </tbody>
        </table>
      </div>
      <Wait error={error} />
    </>
  )
}

function LimitRow({
  limit,
  needed,
  left,
  of,
  hit,
}: RefusedBy['checked'][number] & { readonly hit: boolean }) {
  const name = words.limitName(limit)
  return (
    <tr className={hit ? styles.hit : undefined}>
      <th scope="row">{name.charAt(0).toUpperCase() + name.slice(1)}</th>
      <td className="num">{formatCount(needed)}</td>
      <td className="num">{formatCount(left)}</td>
      <td className="num">{formatCount(of)}</td>
      <td>
        {hit ? (
          <span className="row bad medium">
            <X size={14} aria-hidden /> {words.check.short(formatCount(Math.max(0, needed - left)))}
          </span>
        ) : (
          <span className="row">
            <Check size={14} aria-hidden /> {words.check.fits}
          </span>
        )}
      </td>
    </tr>
  )
}

const MINUTE_S = 60

/** How far the arithmetic may be from the wait: what is left is shown rounded down. */
const ROUNDING = 0.05

/** The wait as arithmetic, for a limit of a minute: it refills evenly. */
function Wait({ error }: { readonly error: RefusedBy }) {
  const { check } = words
  const hit = error.checked.find(
    ({ limit }) => error.limits.includes(limit) && limit.endsWith('_minute'),
  )
  if (hit === undefined || error.retry_after_ms === null || error.limits.length > 1) return null
  const waitMs = ((hit.needed - hit.left) / (hit.of / MINUTE_S)) * 1000
  if (Math.abs(waitMs - error.retry_after_ms) > ROUNDING * waitMs) return null
  const parts = [
    [formatCount(hit.needed), check.neededUnit, '−'],
    [formatCount(hit.left), check.leftUnit, '='],
    [formatCount(hit.needed - hit.left), check.missing, '÷'],
    [
      check.perSecond(formatDecimal(hit.of / MINUTE_S, hit.of % MINUTE_S === 0 ? 0 : 1)),
      check.aMinute(formatCount(hit.of)),
      '≈',
    ],
  ] as const
  return (
    <div className={styles.arith}>
      {parts.map(([figure, name, sign]) => (
        <span key={name} className={styles.arithPart}>
          <span>
            <b>{figure}</b>
            <small>{name}</small>
          </span>
          <i>{sign}</i>
        </span>
      ))}
      <span className={styles.res}>
        <b>{formatDuration(error.retry_after_ms)}</b>
        <small>{check.toWait}</small>
      </span>
    </div>
  )
}
