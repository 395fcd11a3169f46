import { counted, countedUpTo } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../members.ts'

export const members: Translated<typeof english.members> = {
  title: '成员',
  people: (count, more) => countedUpTo({ count, more }, { other: '# 人' }),
  invitationsCounted: (count, more) => countedUpTo({ count, more }, { other: '# 个邀请' }),
  summary: (people, invitations) =>
    invitations === null ? `${people}。` : `${people}，${invitations}。`,
  withoutFactor: (count) => counted(count, { other: '# 人没有第二验证因素。' }),
  invite: '邀请',
  columns: {
    member: '成员',
    role: '角色',
    factor: '第二验证因素',
    keys: '密钥',
    seen: '上次活动',
    actions: '操作',
  },
  you: '您',
  none: '无',
  set: '已设置',
  roleOf: (name) => `${name} 的角色`,
  roleIs: (role, name) => `${role}：${name} 的角色`,
  roleChanged: (name, role) => `${name} 现在是${role}。`,
  nowViewer: (name) => `${name} 现在是查看者。其 API 密钥已停止工作。`,
  actionsFor: (name) => `${name} 的操作`,
  showAudit: '显示活动',
  leave: '退出组织',
  remove: '移除',
  removeTitle: (name) => `移除 ${name}？`,
  removeText: '访问权限从下一次请求起终止。其用量和审计历史会保留。',
  removed: (name) => `${name} 已移除。`,
  noKeys: '此人没有 API 密钥。',
  stop: (count, more) =>
    countedUpTo({ count, more }, { other: '此人的 # 个密钥从下一次请求起失效。' }),
  move: (count, more) => countedUpTo({ count, more }, { other: '将全部 # 个转移给组织' }),
  moveText: '它们继续工作，并归组织所有。',
  keysOfPerson: '此人的密钥',
  andMore: (count) => `以及另外 ${count} 个`,
  ownRoleTitle: (role) => `将自己设为${role}？`,
  ownRoleText: (role) => `您只保留${role}的权限。只有其他人才能恢复您的角色。`,
  ownRoleButton: '更改我的角色',
}

export const inviting: Translated<typeof english.inviting> = {
  title: '邀请',
  text: '对方会收到一个链接，仅可使用一次，7 天内有效。',
  email: '邮箱地址',
  role: '角色',
  send: '邀请',
  sent: (email) => `邀请已发送至 ${email}。`,
  linkTitle: '请自行发送此链接',
  linkText: (email) =>
    `本服务不发送邮件。请将链接交给 ${email}：仅可使用一次，7 天内有效，不会再次显示。`,
  link: '链接',
  card: '邀请',
  none: '没有待处理的邀请。',
  foot: '链接仅可使用一次，7 天内有效。',
  sentBy: (who, on, until) => `由${who}于 ${on} 邀请，${until} 过期`,
  expired: '已过期',
  operator: '运营者',
  former: '前成员',
  resend: '重新发送',
  resent: (email) => `新链接已发送至 ${email}。旧链接已失效。`,
  withdraw: '撤回',
  withdrawn: (email) => `对 ${email} 的邀请已撤回。其链接已失效。`,
}

export const rights: Translated<typeof english.rights> = {
  title: '角色权限',
  table: '角色及其权限',
  may: '权限',
  yes: '是',
  no: '否',
  own: '仅自己',
  rows: {
    'usage:read': '查看用量和请求',
    'keys:write': '创建、更改和吊销密钥',
    'playground:use': '使用 Playground',
    'billing:read': '查看账单',
    'audit:read': '查看审计日志',
    'projects:write': '项目、支出限额、提醒',
    'members:write': '邀请、更改和移除成员',
    'sign-in:write': '数据保留、登录、管理密钥、支持',
  },
}
