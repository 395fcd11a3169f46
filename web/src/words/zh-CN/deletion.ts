import type { Translated } from '../translated.ts'
import type * as english from '../deletion.ts'

export const deletion: Translated<typeof english.deletion> = {
  typeName: (name) => `输入 ${name} 以确认`,
  data: '您的数据',
  dataText: '账户、会话、密钥、成员身份以及您的操作记录，以 JSON 文件提供。',
  download: '下载我的数据',
  account: '删除您的账户',
  accountHint: '永久删除。您将失去所有已加入的组织。',
  accountTitle: '删除您的账户？',
  accountText:
    '密码、通行密钥、会话和成员身份将被删除，属于您的 API 密钥从下一次请求起失效。属于组织的' +
    '密钥继续工作。用量、账本和审计日志中将以编号代替您的姓名。此操作无法撤销。',
  accountDelete: '删除账户',
  person: '删除账户',
  personTitle: (email) => `永久删除 ${email}？`,
  personText:
    '此人会收到邮件，并失去一切：登录方式、会话、成员身份，以及从下一次请求起失效的 API 密钥。' +
    '用量、账本和审计日志中将以编号代替姓名。此操作无法撤销。',
  personDeleted: '账户已删除。',
  organization: '删除此组织',
  organizationHint: '永久删除，包括其中的所有设置。',
  organizationTitle: (name) => `永久删除 ${name}？`,
  organizationText:
    '其所有 API 密钥从下一次请求起被拒绝。成员将失去该组织；SSO、域名、提醒、邀请和保留的内容' +
    '将被删除。账本、用量和审计日志由运营者保留。此操作无法撤销。',
  organizationDelete: '删除组织',
  organizationDeleted: (name) => `${name} 已删除。`,
  forfeit: '剩余余额将作废',
  deleted: '此组织已删除。仅保留其账本、用量和审计日志。',
}
