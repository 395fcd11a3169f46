import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Button } from '../../../parts/button.tsx'
import { gate } from '../../../words/gate.ts'
import { AddMoney } from './add-money.tsx'
import { FollowedPayment } from './followed-payment.tsx'
import { PaymentDetails } from './payment-details.tsx'
import { PaymentList, usePayments } from './payment-list.tsx'

const route = getRouteApi('/app/o/$slug/billing')

/** Its dialog is in the address, so that others can lead to it. */
export function AddMoneyButton() {
  const { add } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (search: { add?: '1'; payment?: string }) => void navigate({ search, replace: true })
  return (
    <>
      <Button look="primary" onClick={() => show({ add: '1' })}>
        <Plus size={16} aria-hidden /> {gate.addMoney}
      </Button>
      {add !== undefined && (
        <AddMoney onClose={() => show({})} onStarted={(payment) => show({ payment })} />
      )}
    </>
  )
}

/** The payment from whose page the browser came back. */
export function ReturnedPayment() {
  const { payment, cancelled } = route.useSearch()
  const navigate = route.useNavigate()
  const id = payment ?? cancelled
  if (id === undefined) return null
  return (
    <FollowedPayment
      key={id}
      id={id}
      cameBack={payment === undefined}
      onAgain={() => void navigate({ search: { add: '1' }, replace: true })}
      onClose={() => void navigate({ search: {}, replace: true })}
    />
  )
}

/** Payments, and the card. Who never paid and does not pay here sees nothing of it. */
export function Payments({ isPrepaid }: { readonly isPrepaid: boolean }) {
  const list = usePayments()
  if (!isPrepaid && (list.items?.length ?? 0) === 0) return null
  return (
    <div className="grid">
      <PaymentDetails isPrepaid={isPrepaid} />
      <PaymentList list={list} />
    </div>
  )
}
