import { useNavigate } from '@tanstack/react-router'
import type { OperatorAccountDetail } from '../../api/routes.ts'
import { useChange } from '../../api/use-api.ts'
import { AskByName } from '../../parts/ask-by-name.tsx'
import { say } from '../../parts/toast.tsx'
import { deletion as words } from '../../words/deletion.ts'

export function DeleteAccount({
  account: { id, email },
  onClose,
}: {
  readonly account: OperatorAccountDetail
  readonly onClose: () => void
}) {
  const navigate = useNavigate()
  const remove = useChange('DELETE /operator/accounts/{account}', ['GET /operator/accounts'])
  const onSuccess = () => {
    say(words.personDeleted)
    void navigate({ to: '/operator/accounts' })
  }
  return (
    <AskByName
      title={words.personTitle(email)}
      text={words.personText}
      name={email}
      button={words.accountDelete}
      fault={remove.error}
      busy={remove.isPending || remove.isSuccess}
      onConfirm={() => remove.mutate({ path: { account: id } }, { onSuccess })}
      onClose={onClose}
    />
  )
}
