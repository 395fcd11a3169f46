export const deletion = {
  typeName: (name: string) => `Type ${name} to confirm`,
  data: 'Your data',
  dataText: 'Account, sessions, keys, memberships and what you did, as a JSON file.',
  download: 'Download my data',
  account: 'Delete your account',
  accountHint: 'For good. You lose every organization that you are a member of.',
  accountTitle: 'Delete your account?',
  accountText:
    'Password, passkeys, sessions and memberships are deleted, and API keys that belong to you ' +
    'stop at the next request. Keys of organizations keep working. Usage, ledger and audit log ' +
    'keep a number instead of your name. This cannot be undone.',
  accountDelete: 'Delete the account',
  person: 'Delete account',
  personTitle: (email: string) => `Delete ${email} for good?`,
  personText:
    'The person gets an email and loses everything: ways to sign in, sessions, memberships, and ' +
    'API keys that belong to them, from the next request on. Usage, ledger and audit log keep a ' +
    'number instead of the name. This cannot be undone.',
  personDeleted: 'The account was deleted.',
  organization: 'Delete this organization',
  organizationHint: 'For good, with everything that it has set up.',
  organizationTitle: (name: string) => `Delete ${name} for good?`,
  organizationText:
    'All its API keys are refused from the next request on. Members lose it; SSO, domains, ' +
    'alerts, invitations and kept content are deleted. Its ledger, usage and audit log stay ' +
    'with the operator. This cannot be undone.',
  organizationDelete: 'Delete the organization',
  organizationDeleted: (name: string) => `${name} was deleted.`,
  forfeit: 'What is left of the balance is forfeited',
  deleted: 'This organization was deleted. Only its ledger, usage and audit log are left.',
} as const
