export const gate = {
  noOrganization: 'No access',
  noOrganizationText: (slug: string, email: string) =>
    `There is no organization “${slug}”, or you have no access to it. You are ${email}.`,
  own: 'Your organizations',
  switchAccount: 'Switch account',
  wrongRole: 'Not for your role',
  only: (who: string, role: string) => `Only ${who} see this page. You are ${role}.`,
  ask: (names: string) => `Ask ${names}.`,
  addMoney: 'Add money',
  whoPays: (organization: string) => `Owners and admins of ${organization} add money by card.`,
  notOperator: 'Only operators and support of this service see this page.',
  many: { viewer: 'viewers', member: 'members', admin: 'admins', owner: 'owners' },
} as const
