import type { Translated } from '../translated.ts'
import type * as english from '../payments.ts'

export const addMoney: Translated<typeof english.addMoney> = {
  text: '您将在支付服务商的页面上付款，只有该服务商能看到您的银行卡。',
  suggested: '建议金额',
  amount: '金额',
  bounds: (least, most) => `${least} 至 ${most}。`,
  wrongAmount: (least, most, step) => `请输入 ${least} 至 ${most} 的金额，以 ${step} 为单位。`,
  saveCard: '保存此卡用于自动充值',
  tax: '付款页面会按您的地址加收税款。上述金额将计入余额。',
  noTax: '您只需支付此金额，不另加税款。',
  allCovers: (balance, amount, owed) =>
    `当前余额为 ${balance}：${amount} 将全部用于抵扣欠款。付款超过 ${owed} 后请求才会恢复。`,
  partCovers: (balance, owed) => `当前余额为 ${balance}：本次付款中的 ${owed} 用于抵扣欠款。`,
  submit: (amount) => `支付 ${amount}`,
  submitBare: '支付',
  strangePage: '付款页面的地址不在本服务的设置中，因此没有打开，也未扣款。请告知运营者。',
  otherWays: '其他充值方式',
}

export const followed: Translated<typeof english.followed> = {
  asking: '正在查询您的付款。',
  waiting: (amount) => `正在等待您的 ${amount} 付款。`,
  processing: (amount) => `银行正在处理 ${amount} 的付款。`,
  late: '用时比平常长。我们会继续检查，您可以离开此页面。',
  added: (amount) => `已向余额充入 ${amount}。`,
  tax: (tax) => `另付税款 ${tax}。`,
  notPaid: (amount) => `${amount} 的付款尚未完成，未扣款。`,
  declined: (amount) => `银行卡被拒，${amount} 的付款未成功，未扣款。`,
  expired: (amount) => `${amount} 的付款未按时完成或已取消，未扣款。`,
  attention: (amount) => `${amount} 的付款需要运营者核实后才能入账。请勿重复付款。`,
  unknown: '付款',
  goOn: '继续付款',
  anotherCard: '换一张卡',
  cancel: '取消付款',
  again: '重新开始',
}

export const payments: Translated<typeof english.payments> = {
  card: '付款',
  all: '所有付款',
  none: '暂无付款。',
  columns: { when: '时间', state: '状态', amount: '金额', tax: '税款', actions: '收据和操作' },
  states: {
    created: '准备中',
    open: '尚未付款',
    processing: '处理中',
    needs_customer: '需要确认',
    succeeded: '已付款',
    failed: '被拒',
    expired: '未付款',
    attention: '核实中',
  },
  invoiceOf: (month) => `${month} 的发票`,
  declinedOnce: '银行卡被拒',
  receipt: '收据',
  receiptOf: (time) => `${time} 的收据`,
  goOn: '继续',
  cancel: '取消',
  cancelled: '付款已取消，未扣款。',
  paidMeanwhile: (amount) => `付款恰好在此时完成：已充入 ${amount}。`,
}

export const paymentDetails: Translated<typeof english.paymentDetails> = {
  card: '银行卡和账单信息',
  number: (brand, lastFour) => `${brand}，尾号 ${lastFour}`,
  expires: (month) => `有效期至 ${month}`,
  expired: (month) => `已于 ${month} 过期`,
  none: '未保存银行卡。',
  noneText: '只有在您付款并选择保存时，才会保存银行卡。在支付服务商页面上添加的卡不会被扣款。',
  charged:
    '自动充值只从此卡扣款。如需改用另一张卡，请用该卡付款一次并保存：' +
    '在支付服务商页面上添加的卡不会被扣款。',
  open: '更改信息',
  openText: '银行卡、地址、税号和发票都在支付服务商的页面上。',
}
