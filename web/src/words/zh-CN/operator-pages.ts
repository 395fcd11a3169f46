import { countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../operator-pages.ts'

export const operatorPages: Translated<typeof english.operatorPages> = {
  own: '您的组织',
  title: '服务',
  overview: '概览',
  waiting: '等候名单',
  peopleWait: (count) => countedUpTo(count, { other: '# 人在等候' }),
  accounts: '账户',
  organizations: '组织',
  engines: '引擎',
  plans: '套餐',
  configuration: '配置',
  payments: '付款',
  vouchers: '兑换码',
  ledger: '账本',
  audit: '审计',
}
