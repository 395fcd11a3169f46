import type { Registration } from '../../../contract/management/account.ts'
import { ApiError } from '../../../contract/error.ts'
import { changeOwnAccount } from '../../../store/people/own-account.ts'
import { changeAccount } from '../../../store/tenants/accounts.ts'
import { defineChange } from '../../use-case/use-case.ts'
import { viewMe } from './me.ts'
import { checkAdmitted, makeOrganization } from './own-organizations.ts'
import { personOf } from './person-of.ts'

/** Completes the registration: name, terms, and an organization unless invited to one. */
export const register = defineChange(
  { action: 'account.register', permission: 'self' },
  async ({ environment, transaction, access }, input: Registration) => {
    const { account } = personOf(access)
    checkAdmitted(account)
    if (account.registered)
      throw new ApiError('already_exists', 'The registration is complete already.')
    const version = environment.settings.console.terms?.version
    if (input.terms_version !== version)
      throw new ApiError('invalid_value', 'Accept the current version of the terms.', {
        param: 'terms_version',
      })
    // Takes the lock of the account before that of an organization.
    const { raised } = await changeAccount(transaction, account.id, { registered: true })
    const row = await changeOwnAccount(transaction, account.id, {
      name: input.name,
      language: input.language,
      ...(version !== undefined && { termsVersion: version }),
    })
    const organization =
      input.organization === undefined
        ? undefined
        : await makeOrganization(environment, transaction, account.id, input.organization)
    return {
      value: await viewMe(environment, transaction, row),
      target: { kind: 'account', id: row.id, label: row.email },
      ...(organization !== undefined && { organizationId: organization.id }),
      changes: {
        name: [account.name, row.name],
        terms_version: [null, row.terms_version],
        ...(organization !== undefined && { organization: [null, organization.slug] }),
      },
      raised,
    }
  },
)
