import { withoutQuotes, type TopUpWords } from '../../emails.ts'

const REASONS: Readonly<Record<string, string>> = {
  declined: '银行拒绝了已保存的卡，再次尝试也没有用。',
  declined_often: '银行连续三次拒绝了已保存的卡。',
  refused: '已保存的卡无法再扣款。',
  cancelled: '一次扣款被取消。',
  provider_balance: '该组织在支付服务商的客户账户中有余额，因此扣款金额会不同。',
  dispute: '有人向其银行对该组织的一笔付款提出了争议。',
  refunded: '退款使余额低于自动扣款的金额，不应因此再次扣款。',
  warning: '已保存的卡的发卡行怀疑存在欺诈。',
}

const WHY = '您是该处某个组织的所有者'

export const topUp: TopUpWords = {
  compose: {
    top_up_confirm: ({ organization, amount, link }) => ({
      subject: `请确认一笔 ${amount} 的付款`,
      paragraphs: [
        `银行要求您确认“${withoutQuotes(organization)}”的自动充值 ${amount}。` +
          '目前尚未扣款。以下页面在 23 小时内有效：',
        link,
        '在所有者于账单页面恢复之前，自动充值处于暂停状态。',
      ],
    }),
    top_up_unconfirmed: ({ organization, amount, link }) => ({
      subject: `一笔 ${amount} 的付款等待确认`,
      paragraphs: [
        `银行要求持卡人确认“${withoutQuotes(organization)}”的自动充值 ${amount}。` +
          '目前尚未扣款。确认链接已发给组织的所有者，23 小时内有效。',
        '在所有者于账单页面恢复之前，自动充值处于暂停状态：',
        link,
      ],
    }),
    top_up_failed: ({ organization, amount, failure, link }) => ({
      subject: '自动充值失败',
      paragraphs: [
        `“${withoutQuotes(organization)}”的卡未能扣款 ${amount}（${failure}）。` +
          '没有扣款。至少一小时后会再次尝试。',
        '如需在此期间使用服务，请充值或更换银行卡：',
        link,
      ],
    }),
    top_up_paused: ({ organization, reason, failure, link }) => ({
      subject: '自动充值已暂停',
      paragraphs: [
        `“${withoutQuotes(organization)}”的卡不再自动扣款。` +
          `${REASONS[reason] ?? ''}${failure === null ? '' : `（${failure}）`}`,
        '余额用完后，请求会被拒绝。请检查银行卡，然后恢复自动充值：',
        link,
      ],
    }),
    top_up_bound: ({ organization, bound, month, link }) => ({
      subject: '自动充值已达到上限',
      paragraphs: [
        bound === 'day'
          ? `“${withoutQuotes(organization)}”的卡今天（UTC）的扣款次数已达到上限。明天会继续。`
          : `“${withoutQuotes(organization)}”的下一次自动充值将超过您设定的每月（UTC）上限 ` +
            `${month}。下个月会继续，或者在您提高上限后继续。`,
        '余额用完后，请求会被拒绝。您现在可以充值：',
        link,
      ],
    }),
    top_up_card_expires: ({ organization, card, month, link }) => ({
      subject: '已保存的银行卡即将到期',
      paragraphs: [
        `“${withoutQuotes(organization)}”已保存的银行卡（${card}）将于 ${month} 月底到期，` +
          '之后自动充值无法从中扣款。',
        '如需保存另一张卡，请用它充值并勾选保存：',
        link,
      ],
    }),
  },
  reasons: {
    top_up_confirm: WHY,
    top_up_unconfirmed: WHY,
    top_up_failed: WHY,
    top_up_paused: WHY,
    top_up_bound: WHY,
    top_up_card_expires: WHY,
  },
  buttons: { top_up_confirm: '查看付款' },
}
