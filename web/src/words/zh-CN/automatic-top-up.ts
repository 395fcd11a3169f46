import type { Translated } from '../translated.ts'
import type * as english from '../automatic-top-up.ts'

export const topUp: Translated<typeof english.topUp> = {
  card: '自动充值',
  meta: '余额不足时从已保存的卡扣款',
  noCard: '请充值一次并保存银行卡。之后余额不足时即可从该卡扣款。',
  off: '只有在有人付款时才会从已保存的卡扣款。',
  ownersOnly: '只有所有者可以开启。',
  turnOn: '开启',
  change: '更改',
  turnOff: '关闭',
  resume: '恢复',
  below: '当余额低于',
  adds: '从卡中扣款',
  addsText: (most) => `或其整数倍，最多 ${most}`,
  month: '本月（含税）',
  ofMonth: (most) => `最多 ${most}`,
  monthMeter: '本月已扣款',
  bounds: {
    day: (times) => `今天（UTC）已扣款 ${times} 次，达到每日上限。明天会继续。`,
    month: '下一次扣款将超过本月上限。下个月会继续。',
  },
  waits: (time) => `银行卡未能扣款。将在 ${time} 之后再次尝试。`,
  paused: {
    declined: '银行拒绝了该卡。',
    declined_often: '银行连续三次拒绝了该卡。',
    confirmation: '银行要求持卡人确认一笔扣款。',
    refused: '该卡无法再扣款。',
    cancelled: '一次扣款被取消。',
    provider_balance: '您在支付服务商的客户账户中有余额，因此扣款金额会不同。',
    dispute: '有人向银行对一笔付款提出了争议。',
    refunded: '退款使余额低于自动扣款的金额。',
    warning: '发卡行怀疑存在欺诈。',
  },
  pausedText: '在所有者恢复之前不会扣款。',
  resumed: '自动充值已恢复。',
  turnOnTitle: '开启自动充值',
  changeTitle: '更改自动充值',
  threshold: '当余额低于',
  amount: '从卡中扣款',
  monthMax: '每月最多（含税）',
  monthHint: '按自然月（UTC）计算。',
  consent: (times) =>
    '我同意当余额低于该值时，无需再次询问即可从已保存的卡扣款：' +
    `每次为该金额或使余额足够的整数倍，每天（UTC）最多 ${times} 次，且不超过每月上限。` +
    '我代表组织同意：即使我离开组织，也会继续，直到所有者将其关闭。',
  save: '保存',
  saved: '自动充值已开启。',
  turnOffTitle: '关闭自动充值？',
  turnOffText: '将不再从卡中扣款。余额用完后，请求会被拒绝。',
  turnedOff: '自动充值已关闭。',
}
