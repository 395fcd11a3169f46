import type { Translated } from '../translated.ts'
import type * as english from '../shell.ts'

export const shell: Translated<typeof english.shell> = {
  goTo: '前往…',
  mainNavigation: '主导航',
  menu: '菜单',
  plan: (plan) => `套餐：${plan}`,
  operatorArea: '运营者',
  supportSubtitle: '支持访问权限',
  account: '您的账户',
  signOut: '退出登录',
  language: '语言',
  theme: '主题',
  themes: { system: '跟随系统', light: '浅色', dark: '深色' },
  shortcuts: '键盘快捷键',
  help: '帮助',
  docs: '文档',
  status: '服务状态',
  live: (time) => `实时 · ${time}`,
  asOf: (time) => `截至 ${time}`,
  observe: '观察',
  manage: '管理',
  newOrganization: '新建组织',
  pages: {
    overview: '概览',
    keys: 'API 密钥',
    playground: 'Playground',
    usage: '用量',
    requests: '请求',
    limits: '限额',
    models: '模型',
    billing: '账单',
    projects: '项目',
    members: '成员',
    audit: '审计',
    settings: '设置',
  },
}

export const sessionEnded: Translated<typeof english.sessionEnded> = {
  title: '您的会话已结束',
  text: (email) => `请在新标签页中重新以 ${email} 登录。`,
  kept: '您输入的内容已保留。登录后此页面会继续。',
  signIn: '重新登录',
  drop: '放弃输入的内容',
}

export const refusedStrip: Translated<typeof english.refusedStrip> = {
  reasons: {
    suspended: '运营者已停用此组织。请求会返回 403。原因：',
    no_balance: '余额已用尽。在充值之前，请求会返回 402。',
    no_credit: '信用额度已用完。在支付发票或提高额度之前，请求会返回 402。',
    exhausted: '运营者已声明余额用完。请求会返回 402。',
    conflict: '此组织的账单正在变更。在此期间请求会返回 409。',
    overdue: '有发票已逾期。付款之前，请求会返回 402。',
  },
  addMoney: '充值',
  billing: '打开账单',
  ask: (organization) => `请联系 ${organization} 的所有者或管理员。`,
}

export const supportBar: Translated<typeof english.supportBar> = {
  name: '支持访问权限',
  text: (organization, until) =>
    `您正以支持访问权限查看 ${organization}，截至 ${until}。其所有者能看到您查看的内容。`,
  leave: '离开',
}
