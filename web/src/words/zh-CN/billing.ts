import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../billing.ts'

export const billing: Translated<typeof english.billing> = {
  title: '账单',
  sub: {
    prepaid: '预付费：请求从余额中扣费。月份和日期均为 UTC。',
    postpaid: '后付费：每月按用量结算。月份和日期均为 UTC。',
    none: '此套餐免费。',
    unknown: '此组织的套餐已不再提供。',
  },
  states: {
    exhausted: '余额已用完。在充值之前，请求会返回 402。',
    conflict: '运营者正在变更此组织的账单。在此期间请求会返回 409。',
    askOperator: '请联系本服务的运营者。',
  },
  balance: '余额',
  reserved: '当前预留',
  reservedBy: (running) => counted(running, { other: '由 # 个进行中的请求预留' }),
  free: '可用',
  freeText: '可用于新请求',
  creditLimit: '信用额度',
  creditUsed: (amount) => `已用 ${amount}`,
  lasts: (days) => (days < 1 ? '不足一天' : counted(days, { other: '约可用 # 天' })),
  lastsText: '按最近 7 天的用量估算',
  notKnown: '目前未知',
  month: '本月至今支出',
  forecast: '本月预测',
  forecastText: (days) => `根据最近 ${days} 天估算，并非账单`,
  postedText: '不含仍在进行的请求',
  limits: '项目支出限额',
  limitsMeta: (month) => `${month}（UTC）`,
  noLimits: '没有项目设置支出限额。',
  toProjects: '前往项目',
  addMoney: '充值',
  addMoneyAsk: '由本服务的运营者充值。',
  suspended: '在恢复之前无法充值，但可以支付发票。',
  exports: '用量 CSV',
  exportsText: '某个 UTC 月份的每个请求，含 token 数和费用。',
  soFar: '至今',
}

export const statements: Translated<typeof english.statements> = {
  card: '对账单',
  meta: '已结束的 UTC 月份，按项目和模型',
  none: '第一份对账单在月末后一天生成。',
  month: '月份',
  requests: '请求',
  tokens: 'Token',
  cost: '费用',
  download: '下载',
  csv: 'CSV',
  state: '发票',
  states: {
    closed: '无发票',
    issued: '未付款',
    paid: '已付款',
    overdue: '已逾期',
    void: '已作废',
    written_off: '已核销',
  },
  due: '到期日',
  total: '合计',
  pay: '付款',
  payMonth: (month) => `支付 ${month} 的发票`,
  overdueStrip: (month) => `${month} 的发票已逾期。`,
  stops: (day) => `如果一直未付款，自 ${day} 起请求会返回 402。`,
  stopped: '付款之前，请求会返回 402。',
  strangePage: '此发票的页面位于未知主机上，因此未打开。',
  downloadMonth: (month) => `下载 ${month} 的 CSV 对账单`,
}

export const credits: Translated<typeof english.credits> = {
  card: '会到期的额度',
  meta: '最先到期的额度最先使用',
  until: '到期时间',
  remaining: '剩余',
  of: '金额',
  granted: '发放时间',
}

export const vouchers: Translated<typeof english.vouchers> = {
  open: '使用兑换码',
  text: '金额将计入此组织的余额。',
  code: '兑换码',
  hint: '十六个字母和数字。空格和连字符可有可无。',
  redeem: '兑换',
  added: (amount) => `已将 ${amount} 计入余额。`,
  addedUntil: (amount, time) => `已将 ${amount} 计入余额。未用完的部分将于 ${time} 到期。`,
  repeated: (time) => `此组织已于 ${time} 使用过该兑换码，本次未增加金额。`,
}

export const transfers: Translated<typeof english.transfers> = {
  card: '余额变动（不含用量）',
  columns: {
    when: '时间',
    kind: '类型',
    amount: '金额',
    why: '原因',
    who: '操作者',
    reference: '参考号',
  },
  kinds: {
    grant: '发放',
    adjustment: '调整',
    payment: '付款',
    refund: '退款',
    dispute: '争议',
    invoice: '发票',
    expiry: '到期',
    voucher: '兑换码',
    usage: '用量',
  },
  none: '尚未充值。',
}

export const alerts: Translated<typeof english.alerts> = {
  card: '支出提醒',
  meta: '按自然月（UTC）',
  none: '尚无提醒。',
  noneText: '支出达到设定金额时，通过邮件或 webhook 通知您。',
  add: '添加提醒',
  organization: '整个组织',
  reachedAt: (time) => `${time} 达到`,
  test: '发送测试',
  tested: {
    delivered: 'Webhook 已接收测试。',
    failed: 'Webhook 未在 5 秒内成功应答。',
  },
  testEmails: (count) => counted(count, { other: '已发送 # 封邮件。' }),
  noChannel: '仅在此显示',
  nobodyTold: '不会通知任何人：没有地址或 Webhook，提醒只显示在此页面上。',
  webhook: 'Webhook',
  change: '更改',
  remove: '移除',
  removeTitle: (scope) => `移除 ${scope} 的提醒？`,
  removeText: '此后不再通知任何人。',
  removed: '提醒已移除。',
  saved: '提醒已保存。',
  addTitle: '添加支出提醒',
  changeTitle: (scope) => `${scope} 的提醒`,
  scope: '对象',
  amounts: '每月金额',
  amountsHint: '最多十个。每输入一个后按空格或 Enter。',
  share: (amount) => `${amount} 的 50、80 和 100 %`,
  webhookUrl: 'Webhook',
  webhookHint: '接收签名 POST 请求的 https 地址。',
  newSecret: '为 webhook 生成新的密文',
  save: '保存提醒',
  secretTitle: '复制 webhook 密文',
  secretText: '用于验证对您的 webhook 的调用来自这里。无法再次显示。',
  secret: 'Webhook 密文',
  exists: '此提醒已存在；保存将替换它。',
}

export const emails: Translated<typeof english.emails> = {
  label: '邮箱地址',
  hint: '最多十个。每输入一个后按空格或 Enter。',
}

export const contacts: Translated<typeof english.contacts> = {
  card: '账单联系人',
  meta: '谁会收到有关付款、自动充值和额度的邮件',
  none: '由所有者接收。您可以改为填写其他地址。',
  change: '更改',
  text:
    '有关付款、自动充值和即将到期额度的邮件会发给这些地址，而不是所有者。不填写地址时由所有者接收。' +
    '确认付款的请求只发给所有者。',
  save: '保存联系人',
  saved: '账单联系人已保存。',
}
