import { TriangleAlert } from 'lucide-react'
import type { OrganizationPreview } from '../../../api/routes.ts'
import { formatCount, UNKNOWN } from '../../../format/number.ts'
import { TableWrap } from '../../../parts/table-wrap.tsx'
import { TableHead } from '../../../parts/table.tsx'
import { operatorOrganizations as words } from '../../../words/operator-organizations.ts'
import styles from '../operator.module.css'

const COLUMNS = [
  { name: words.previewOf },
  { name: words.before, numeric: true },
  { name: words.after, numeric: true },
  { name: words.usedNow, numeric: true },
  { name: words.leftThen, numeric: true },
]

type Line = readonly [string, string | null, string | null]

/** What a change would do now: settings before and after, and what follows from it. */
export function PreviewLines({
  preview,
  renamed,
}: {
  readonly preview: OrganizationPreview
  readonly renamed: string | undefined
}) {
  const limits = preview.limits.filter(
    ({ before, after }) => JSON.stringify(before) !== JSON.stringify(after),
  )
  const lines: Line[] = [
    [words.plan, preview.plan.before, preview.plan.after],
    [words.billing, preview.billing.before, preview.billing.after],
    [words.billingState, preview.billing_state.before, preview.billing_state.after],
  ]
  const changed = lines.filter(([, before, after]) => before !== after)
  return (
    <>
      {renamed !== undefined && (
        <p>
          {words.name}: <b>{renamed}</b>
        </p>
      )}
      {changed.length + limits.length > 0 && (
        <TableWrap label={words.previewTitle} className={styles.previewTable}>
          <table className="table dense">
            <caption className="sr">{words.previewTitle}</caption>
            <TableHead columns={COLUMNS} />
            <tbody>
              {changed.map(([name, before, after]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td className="num ink-3">{before ?? UNKNOWN}</td>
                  <td className="num medium">{after ?? UNKNOWN}</td>
                  <td />
                  <td />
                </tr>
              ))}
              {limits.map(({ name, before, after, used, remaining_after: left }) => (
                <tr key={name}>
                  <th scope="row">{words.limitNames[name]}</th>
                  <td className="num ink-3">{formatCount(before?.limit)}</td>
                  <td className="num medium">{formatCount(after?.limit)}</td>
                  <td className="num">{formatCount(used)}</td>
                  <td className={left === 0 ? 'num bad medium' : 'num'}>{formatCount(left)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <Consequences preview={preview} />
    </>
  )
}

function Consequences({ preview }: { readonly preview: OrganizationPreview }) {
  const { models, repriced, credentials, keys } = preview
  const changed = preview.limits.filter(({ before, after }) => before?.limit !== after?.limit)
  const count = formatCount(keys.count)
  const bad = [
    changed.some((limit) => limit.remaining_after === 0) && words.refusedNow,
    models.lost.length > 0 && words.modelsLost(models.lost.join(', ')),
    credentials.lost.length > 0 && words.credentialsLost(credentials.lost.join(', ')),
    keys.without_models > 0 &&
      words.keysWithout(
        formatCount(keys.without_models),
        keys.more ? words.keysMore(count) : count,
      ),
  ].filter((text) => text !== false)
  const other = [
    models.gained.length > 0 && words.modelsGained(models.gained.join(', ')),
    credentials.gained.length > 0 && words.credentialsGained(credentials.gained.join(', ')),
    repriced.length > 0 && words.repriced(repriced.join(', ')),
  ].filter((text) => text !== false)
  if (bad.length + other.length === 0) return null
  return (
    <ul className={styles.consequences}>
      {bad.map((text) => (
        <li key={text} className="warn">
          <TriangleAlert size={14} aria-hidden /> {text}
        </li>
      ))}
      {other.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}
