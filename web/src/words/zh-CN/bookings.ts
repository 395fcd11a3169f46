import type { Translated } from '../translated.ts'
import type * as english from '../bookings.ts'

export const bookings: Translated<typeof english.bookings> = {
  service: '本服务',
  reasons: {
    payment: { in: '已付款', out: '付款已撤销' },
    refund: { in: '退款未成功', out: '已退款' },
    dispute: { in: '银行已退回', out: '银行已收回' },
    invoice: { in: '已开具发票', out: '发票已作废' },
    expiry: { in: '到期已撤销', out: '已到期' },
    voucher: { in: '已使用兑换码', out: '兑换码已撤回' },
  },
}
