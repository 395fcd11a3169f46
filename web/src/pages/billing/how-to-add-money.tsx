import { HAS_PAYMENTS } from '../../api/place.ts'
import { formatList } from '../../format/list.ts'
import { Contact } from '../../parts/contact.tsx'
import { Card } from '../../parts/page.tsx'
import { useNamesWith } from '../../shell/names-with.ts'
import { useOrganization } from '../../shell/organization.tsx'
import { useMayPay } from '../../shell/payments.ts'
import { billing as words } from '../../words/billing.ts'
import { gate } from '../../words/gate.ts'
import { addMoney } from '../../words/payments.ts'

/** Who adds money, and what the operator says about it; the button says the rest. */
export function HowToAddMoney({ help }: { readonly help: string | null }) {
  const mayPay = useMayPay()
  if (mayPay && help === null) return null
  return (
    <Card title={mayPay ? addMoney.otherWays : words.addMoney} end={<Contact className="btn sm" />}>
      {HAS_PAYMENTS && !mayPay && <WhoPays />}
      {(help !== null || !HAS_PAYMENTS) && <p className="card-body">{help ?? words.addMoneyAsk}</p>}
    </Card>
  )
}

/** Whom to ask whose role does not pay. */
function WhoPays() {
  const { name } = useOrganization()
  const names = useNamesWith('payments:write')
  return (
    <p className="card-body">
      {addMoney.who(name)} {names.length > 0 && gate.ask(formatList(names, 'disjunction'))}
    </p>
  )
}
