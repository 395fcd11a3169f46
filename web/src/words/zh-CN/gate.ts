import type { Translated } from '../translated.ts'
import type * as english from '../gate.ts'

export const gate: Translated<typeof english.gate> = {
  noOrganization: '无访问权限',
  noOrganizationText: (slug, email) =>
    `组织“${slug}”不存在，或您没有访问权限。您的身份是 ${email}。`,
  own: '您的组织',
  switchAccount: '切换账户',
  wrongRole: '您的角色无权查看',
  only: (who, role) => `仅${who}可查看此页面。您是${role}。`,
  ask: (names) => `请联系 ${names}。`,
  addMoney: '充值',
  whoPays: (organization) => `${organization} 的所有者和管理员可以用银行卡充值。`,
  notOperator: '仅本服务的运营者和支持人员可查看此页面。',
  many: { viewer: '查看者', member: '成员', admin: '管理员', owner: '所有者' },
}
