import type { Translated } from '../translated.ts'
import type * as english from '../provider-books.ts'

const readAgain = '已再次向 Stripe 查询。请在控制台进程的日志中查找“refund or dispute not read”。'
const lookThere = '请在 Stripe 的管理后台中查找。如果从未有过，请通过调整更正余额。'

export const providerBooks: Translated<typeof english.providerBooks> = {
  title: 'Stripe 的账目',
  caption: 'Stripe 的账目与账本中的每一天，最新的在前',
  none: '还没有对比过的日期。',
  noneText: '从首笔付款起，每一天在结束两天后对比。',
  theirs: (day) => `Stripe 的账目，截至 ${day}`,
  ours: '账本中的相同项目',
  notCompared: '账本中尚未对比的部分',
  day: '日期（UTC）',
  sides: { charges: '付款', refunds: '退款', disputes: '争议', fees: '手续费' },
  inStripe: (amount) => `Stripe ${amount}`,
  inLedger: (amount) => `账本 ${amount}`,
  notPosted: (amount) => `另有 ${amount}，未记账`,
  result: '结果',
  equal: '一致',
  differs: '不一致',
  waits: '等待 Stripe',
  missing: {
    entry: {
      payment: '付款在账本中没有记录：',
      refund: '退款在账本中没有记录：',
      dispute: '争议在账本中没有记录：',
    },
    movement: {
      payment: '账本中有付款，Stripe 没有：',
      refund: '账本中有退款，Stripe 没有：',
      dispute: '账本中有争议，Stripe 没有：',
    },
  },
  todo: {
    entry: {
      payment:
        '已再次向 Stripe 查询。如果仍不一致，请打开该付款并检查。如果没有该付款，说明恢复备份时丢失了它：' +
        '请运行“headrace recover payments”。',
      refund: readAgain,
      dispute: readAgain,
    },
    movement: { payment: lookThere, refund: lookThere, dispute: lookThere },
  },
}
