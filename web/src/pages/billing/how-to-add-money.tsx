import { HAS_PAYMENTS } from '../../api/place.ts'
import { Contact } from '../../parts/contact.tsx'
import { Card } from '../../parts/page.tsx'
import { useMayPay } from '../../shell/payments.ts'
import { WhoPays } from '../../shell/who-pays.tsx'
import { billing as words } from '../../words/billing.ts'
import { addMoney } from '../../words/payments.ts'

/** Who adds money, and what the operator says about it; the button says the rest. */
export function HowToAddMoney({ help }: { readonly help: string | null }) {
  const mayPay = useMayPay()
  if (mayPay && help === null) return null
  return (
    <Card title={mayPay ? addMoney.otherWays : words.addMoney} end={<Contact className="btn sm" />}>
      {HAS_PAYMENTS && !mayPay && (
        <p className="card-body">
          <WhoPays />
        </p>
      )}
      {(help !== null || !HAS_PAYMENTS) && <p className="card-body">{help ?? words.addMoneyAsk}</p>}
    </Card>
  )
}
