import type { Translated } from '../translated.ts'
import type * as english from '../credit-limit.ts'

export const creditLimit: Translated<typeof english.creditLimit> = {
  line: '信用额度',
  none: '无',
  used: (limit, used) => `${limit}，已用 ${used}`,
  set: '设置信用额度',
  title: (name) => `${name} 的信用额度`,
  text:
    '后付费套餐下该组织最多可以欠的金额：未支付的发票、尚未开票的用量，' +
    '以及进行中的请求可能产生的费用。超出后请求返回 402。',
  amount: '额度',
  amountHint: '留空表示不限。0 会拒绝所有收费的请求。',
  reason: '原因',
  reasonHint: '记入审计日志，组织的所有者、管理员和查看者也能看到。',
  saved: (name) => `${name} 的信用额度从下一个请求起生效。`,
}
