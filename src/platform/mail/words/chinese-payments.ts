import { withoutQuotes, type PaymentAlert, type PaymentEmails } from '../emails.ts'

const ALERTS: Readonly<Record<PaymentAlert, readonly [subject: string, text: string]>> = {
  attention: [
    '有一笔付款需要您决定',
    '支付服务商对一笔付款的说明与请求不符，尚未入账。审计日志的 payment.attention 列出了双方的值。',
  ],
  uncredited: [
    '有一笔付款尚未入账',
    '支付服务商十分钟前已称一笔付款完成，但账本中没有它。请在控制台进程的日志中查找“payment not read”。',
  ],
  poll: [
    '支付事件列表未被读取',
    '已有一小时没有读取支付服务商的事件列表。没有通过 Webhook 通知的事件不会被发现。',
  ],
  webhook: [
    '支付 Webhook 似乎有故障',
    '最近一小时有五个以上的事件只在支付服务商的列表中找到，没有 Webhook 通知。付款会入账，但较晚。',
  ],
  forged: [
    'Webhook 没有有效签名',
    '最近一小时有十个以上的 Webhook 没有有效签名，均未生效。如果服务商的投递也失败，则签名密钥或时钟有误。',
  ],
  declines: [
    '多张银行卡被拒',
    '一个组织一天内有十张银行卡被拒，可能有人在试用被盗的卡。该组织一天内无法发起付款。',
  ],
  warning: [
    '银行怀疑有欺诈',
    '银行告知支付服务商，这笔付款可能不是持卡人本人所为。如果该组织启用了自动充值，则已暂停。现在退款可以避免争议。',
  ],
  dispute: [
    '有一笔付款被提出争议',
    '银行对这笔付款提出疑问。请在支付服务商的管理页面所示期限之前答复：没有证据的争议会败诉。如果该组织启用了自动充值，则已暂停。',
  ],
  stopped: [
    '未支付的发票使一个组织停用',
    '该组织的发票已逾期很久，提醒未见效。在其付款，或您在控制台中对该发票作出决定之前，其请求将被拒绝：',
  ],
  difference: [
    '支付服务商的账目不一致',
    '支付服务商的一笔资金变动在账本中没有对应的记录，或者相反。控制台的账本页面列出了不一致的日期和处理方法。',
  ],
}

export const chinesePayments: PaymentEmails = {
  payment_paid: (message) => ({
    subject: `已收到付款：${message.amount}`,
    paragraphs: [
      `${message.amount} 已计入“${withoutQuotes(message.name)}”的余额。`,
      `现在的余额为 ${message.balance}。发票和收据在控制台中：`,
      message.link,
    ],
  }),
  payment_refunded: ({ name, amount, net, balance, link }) => ({
    subject: `已退款：${amount}`,
    paragraphs: [
      `“${withoutQuotes(name)}”的一笔付款已退还 ${amount}。银行可能需要几天才会显示。`,
      `余额减少 ${net}，现为 ${balance}。付款记录在控制台中：`,
      link,
    ],
  }),
  credit_expires: (message) => ({
    subject: `${message.amount} 即将到期`,
    paragraphs: [
      `“${withoutQuotes(message.name)}”的余额中有 ${message.amount} 将于 ${message.until} 到期，` +
        '届时未使用的部分会被收回。',
      '到期的金额和时间见控制台：',
      message.link,
    ],
  }),
  invoice_issued: ({ name, month, amount, due, link }) => ({
    subject: `${month} 的发票：${amount}`,
    paragraphs: [
      `“${withoutQuotes(name)}”${month} 的发票金额为 ${amount}，付款截止时间为 ${due}。`,
      '您可以在此页面查看并付款：',
      link,
    ],
  }),
  invoice_overdue: ({ name, month, amount, due, stops, link }) => ({
    subject: `已逾期：${month} 的发票，${amount}`,
    paragraphs: [
      `“${withoutQuotes(name)}”${month} 的发票已于 ${due} 到期，${amount} 尚未支付。`,
      `如果仍未付款，自 ${stops} 起请求将被拒绝。您可以在此页面付款：`,
      link,
    ],
  }),
  invoice_paid: ({ name, month, amount, link }) => ({
    subject: `${month} 的发票已支付：${amount}`,
    paragraphs: [
      `已收到“${withoutQuotes(name)}”${month} 发票的付款 ${amount}。`,
      '发票和对账单在控制台中：',
      link,
    ],
  }),
  payment_alert: ({ alert, about, amount, link }) => ({
    subject: ALERTS[alert][0],
    paragraphs: [
      ALERTS[alert][1],
      ...(about === '' ? [] : [`“${withoutQuotes(about)}”`]),
      ...(amount === '' ? [] : [amount]),
      link,
    ],
  }),
}
