import { withoutQuotes, type FactorChange, type MailWords } from '../emails.ts'
import { topUp } from './top-up/chinese.ts'
import { chinesePayments } from './chinese-payments.ts'

const ONCE = '此链接仅能使用一次，24 小时内有效。'
const NOT_YOU = '如果不是您本人操作，请忽略此邮件：不会有任何变更。'

const FACTOR_CHANGES: Readonly<Record<FactorChange, string>> = {
  passkey_added: '您的账户添加了一个通行密钥',
  passkey_removed: '您的账户移除了一个通行密钥',
  app_added: '您的账户添加了一个身份验证器应用',
  app_removed: '您的账户移除了身份验证器应用',
  codes_replaced: '您的账户生成了新的恢复码',
  all_removed: '您的账户移除了通行密钥和身份验证器应用',
}

const ROLES: Readonly<Record<string, string>> = {
  owner: '所有者',
  admin: '管理员',
  member: '成员',
  viewer: '查看者',
  operator: '运营者',
  support: '支持人员',
}

const compose: MailWords['compose'] = {
  ...topUp.compose,
  sign_up: (message) => ({
    subject: '确认您的邮箱地址',
    paragraphs: ['打开此链接以确认您的邮箱地址并设置密码：', message.link, ONCE, NOT_YOU],
  }),
  sign_up_again: (message) => ({
    subject: '您已有账户',
    paragraphs: ['有人尝试用您的邮箱地址注册。您已有账户：', message.link, NOT_YOU],
  }),
  reset: (message) => ({
    subject: '设置新密码',
    paragraphs: ['打开此链接以设置新密码：', message.link, ONCE, NOT_YOU],
  }),
  password_changed: (message) => ({
    subject: '您的密码已更改',
    paragraphs: [
      '您账户的密码已更改，所有其他会话均已结束。',
      '如果不是您本人操作，请立即设置新密码：',
      message.link,
    ],
  }),
  new_address: (message) => ({
    subject: '确认您的新邮箱地址',
    paragraphs: [
      `账户 ${message.account} 的使用者希望改用此地址。如果是您本人，请打开此链接：`,
      message.link,
      ONCE,
      NOT_YOU,
    ],
  }),
  old_address: (message) => ({
    subject: '您的邮箱地址正在更改',
    paragraphs: [
      `有人登录了您的账户，正在将其地址更改为 ${message.newAddress}。`,
      '如果不是您本人操作，请立即更改密码：这也会取消此次更改。',
    ],
  }),
  factor_changed: (message) => ({
    subject: FACTOR_CHANGES[message.change],
    paragraphs: [
      `${FACTOR_CHANGES[message.change]}。`,
      '如果不是您本人操作，请立即设置新密码，然后移除所有您不认识的通行密钥和应用：',
      message.link,
    ],
  }),
  new_device: (message) => ({
    subject: '有新设备登录了您的账户',
    paragraphs: [
      '有人用从未用于您账户的浏览器登录了您的账户。',
      '如果不是您本人操作，请立即设置新密码，然后检查您的会话、通行密钥和应用：',
      message.link,
    ],
  }),
  key_revoked: (message) => ({
    subject: '一个密钥因泄露而被吊销',
    paragraphs: [
      `有人发现了密钥${quoted(message.name)}（${message.shownAs}）的明文并上报给本服务，` +
        '因此该密钥已被吊销。使用它的程序均无法继续工作。',
      '请查明密钥在何处泄露，并为需要的程序更换密钥：',
      message.link,
    ],
  }),
  account_deleted: () => ({
    subject: '您的账户已删除',
    paragraphs: [
      '您的账户及其密码、通行密钥、会话和成员身份均已删除。属于您的密钥已停止工作。',
      '此操作无法撤销。如果不是您本人要求，请告知本服务的运营者。',
    ],
  }),
  domain_missing: (message) => ({
    subject: '域名的 DNS 记录缺失',
    paragraphs: [
      `您的组织已验证 ${message.domain}，但今天未找到其 DNS 记录：`,
      message.record,
      '如果连续三天缺失，该域名将不再是已验证状态：其用户无法通过 SSO 登录，其他组织也可以' +
        '验证该域名。请重新设置该记录：',
      message.link,
    ],
  }),
  domain_lost: (message) => ({
    subject: '一个域名已不再是已验证状态',
    paragraphs: [
      `${message.domain} 的 DNS 记录已缺失三天，您的组织不再拥有该域名。其用户无法通过 SSO ` +
        '登录，其他组织可以验证该域名。',
      '如需恢复，请重新设置该记录并验证域名：',
      message.record,
      message.link,
      '如果您的组织仅允许 SSO 而您无法登录，请联系本服务的运营者。',
    ],
  }),
  stream_paused: (message) => ({
    subject: '审计日志已停止推送',
    paragraphs: [
      `审计日志的接收方（${message.receiver}）已有两周未响应，或有 100,000 个事件在等待。` +
        '现已不再向其发送任何内容。',
      '审计日志中保留了所有事件。接收方恢复后，请重新设置推送：将从等待的事件继续。',
      message.link,
    ],
  }),
  provisioned: (message) => ({
    subject: '您的账户已加入一个组织',
    paragraphs: [
      `${quoted(message.organization)}的身份提供商已将您的账户设为其成员，因为您的邮箱地址` +
        '属于该组织已验证的域名。',
      '此后它可以为您登录，也可以结束您的成员身份。您的密码和其他组织不受影响。如果您不希望' +
        '如此，请退出该组织：',
      message.link,
    ],
  }),
  admitted: (message) => ({
    subject: '您的账户已获批准',
    paragraphs: ['您的账户已获批准。请在此登录：', message.link],
  }),
  platform_role_changed: (message) => ({
    subject: '您的平台角色已更改',
    paragraphs: [
      message.role === null
        ? '您的账户不再拥有平台角色。您的所有会话均已结束。'
        : `您的账户现在的平台角色为${roleName(message.role)}。您的所有会话均已结束。`,
      message.link,
    ],
  }),
  invitation: (message) => ({
    subject: '加入组织的邀请',
    paragraphs: [
      `${message.inviter === null ? '运营者' : quoted(message.inviter)}邀请您加入` +
        `${quoted(message.organization)}：`,
      message.link,
      `您的角色：${roleName(message.role)}。此链接仅能使用一次，7 天内有效。`,
    ],
  }),
  spending_alert_test: (message) => ({
    subject: '支出提醒测试',
    paragraphs: [`这是对${quoted(message.name)}的支出提醒的测试。没有达到任何金额。`, message.link],
  }),
  spending_alert: (message) => ({
    subject: `支出提醒：已达到 ${message.threshold}`,
    paragraphs: [
      `${quoted(message.name)}在 ${message.month}（UTC）已支出 ${message.spent}。`,
      `您设置了在达到 ${message.threshold} 时收到提醒。`,
      message.link,
    ],
  }),
  ...chinesePayments,
}

const ACCOUNT = '此地址属于该处的一个账户'
const OWNER = '您是该处某个组织的所有者或管理员'
const SIGNED_UP = '有人用此地址注册'

const reasons: MailWords['reasons'] = {
  ...topUp.reasons,
  sign_up: SIGNED_UP,
  sign_up_again: SIGNED_UP,
  reset: '有人为此地址请求了新密码',
  new_address: '有人为某个账户填写了此地址',
  old_address: ACCOUNT,
  password_changed: ACCOUNT,
  factor_changed: ACCOUNT,
  new_device: ACCOUNT,
  key_revoked: ACCOUNT,
  account_deleted: '此地址曾属于该处的一个账户',
  domain_missing: OWNER,
  domain_lost: OWNER,
  stream_paused: '您负责该处的审计日志',
  provisioned: ACCOUNT,
  admitted: '此地址在该处注册',
  platform_role_changed: ACCOUNT,
  invitation: '有人邀请了此地址',
  spending_alert_test: '此地址在提醒的收件人中',
  spending_alert: '此地址在提醒的收件人中',
  payment_paid: '您是该处一个组织的所有者',
  payment_refunded: '您是该处一个组织的所有者',
  credit_expires: '您是该处一个组织的所有者',
  invoice_issued: '您是该处一个组织的所有者',
  invoice_overdue: '您是该处一个组织的所有者',
  invoice_paid: '您是该处一个组织的所有者',
  payment_alert: '您是该处服务的运营者',
}

const buttons: MailWords['buttons'] = {
  ...topUp.buttons,
  invoice_issued: '支付发票',
  invoice_overdue: '支付发票',
  sign_up: '确认并设置密码',
  sign_up_again: '登录',
  reset: '设置新密码',
  new_address: '查看更改',
  password_changed: '设置新密码',
  admitted: '登录',
  invitation: '查看邀请',
}

export const chinese: MailWords = {
  compose,
  reasons,
  contactReason: '此地址是该组织的账单联系人，组织的所有者和管理员可以更改',
  buttons,
  openConsole: '打开控制台',
  from: (host) => `${host} 上的 Headrace`,
  why: (host, reason) => `您收到这封来自 ${host} 的邮件，因为${reason}。`,
}

function quoted(name: string): string {
  return `“${withoutQuotes(name)}”`
}

function roleName(role: string): string {
  return ROLES[role] ?? role
}
