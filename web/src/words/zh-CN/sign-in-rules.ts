import { counted } from '../counted.ts'
import type { Translated } from '../translated.ts'
import type * as english from '../sign-in-rules.ts'

export const rules: Translated<typeof english.rules> = {
  card: '规则',
  text: '从每个成员会话的下一次调用起对其生效。',
  ssoOnly: '仅 SSO',
  ssoOnlyText: '成员通过此组织的身份提供商登录；以密码或通行密钥开始的会话将结束。',
  secondFactor: '所有人启用第二验证因素',
  secondFactorText: '成员使用通行密钥、一次性验证码或身份提供商登录；没有的成员需先设置。',
  sessionHours: '最长会话时间（小时）',
  sessionHoursText: '之后成员需重新登录。留空：以服务允许的时长为准。',
  save: '保存',
  saved: '登录规则已更改。',
  title: '更改成员的登录方式？',
  consequences: {
    ssoOnly: '未通过身份提供商登录的成员将在下一次调用时被要求这样做。',
    noSsoOnly: '成员可以再次使用密码或通行密钥登录。',
    secondFactor: '没有第二验证因素的成员需先设置才能继续。',
    noSecondFactor: '成员可以仅用密码登录。',
    sessionHours: (hours) =>
      hours === null
        ? '会话时长以服务允许的为准。'
        : counted(hours, { other: '超过 # 小时的会话将立即结束。' }),
  },
  change: '更改规则',
}

export const connections: Translated<typeof english.connections> = {
  card: '身份提供商（OpenID Connect）',
  none: '尚无身份提供商。',
  noneText: '添加后，成员可使用公司的账户登录。',
  add: '添加提供商',
  addTitle: '添加身份提供商',
  addText:
    '请使用此重定向 URI 在提供商处注册一个应用。您会得到客户端 ID 和客户端密钥，请填写在此处。',
  added: (name) => `已添加 ${name}。点击“测试”可查看其是否响应。`,
  changeTitle: (name) => `更改 ${name}`,
  name: '名称',
  nameHint: '显示在登录页面上。',
  issuer: '颁发者（issuer）',
  issuerHint: '/.well-known/openid-configuration 所在的 https 地址。',
  clientId: '客户端 ID',
  clientSecret: '客户端密钥',
  secretHint: '加密存储，不会再次显示。',
  secretKeep: '留空以保留当前的密钥。',
  role: '新人员的角色',
  roleHint: '适用于首次登录的人员。',
  save: '保存',
  changed: (name) => `${name} 已更改。`,
  redirect: '重定向 URI',
  logout: '后端通道退出 URI',
  logoutHint: '可选。设置后，在提供商处退出登录的人也会在此退出。',
  redirectHint: '请原样在提供商处注册。它只属于此连接。',
  test: '测试',
  testHint: (name) => `前往 ${name}，确认此会话后返回。`,
  edit: '更改',
  remove: '移除',
  removeTitle: (name) => `移除 ${name}？`,
  removeText:
    '从下一次尝试起，无法再通过它登录。以它开始的会话会继续到结束。如果仅允许 SSO 且这是最后' +
    '一个提供商，则没有人能登录。',
  removed: (name) => `${name} 已移除。`,
}

export const provisioning: Translated<typeof english.provisioning> = {
  card: '用户预配（SCIM 2.0）',
  text: '您的身份提供商可自行创建成员并终止其成员身份。它只能决定您已验证域名中的地址。',
  baseUrl: '基础 URL',
  tokens: '令牌',
  none: '尚无令牌。',
  create: '新建令牌',
  createTitle: '新建 SCIM 令牌',
  createText: '身份提供商使用它来管理此组织的成员。',
  name: '名称',
  nameHint: '显示在列表和审计日志中。',
  createButton: '创建令牌',
  createdTitle: '请立即复制令牌',
  createdText: '我们只保存其哈希，无法再次显示。',
  token: 'SCIM 令牌',
  never: '从未使用',
  used: '上次使用',
  revoked: '已吊销',
  revoke: '吊销',
  revokeTitle: (name) => `吊销 ${name}？`,
  revokeText: '提供商从下一次调用起无法再更改任何内容。成员会保留。',
  revokedNow: (name) => `${name} 已吊销。`,
}

export const groupRoles: Translated<typeof english.groupRoles> = {
  card: '群组的角色',
  text: '您提供商中群组的成员会获得此角色；属于多个群组时以最高者为准。其他人以成员身份加入。',
  none: '没有群组赋予角色。',
  group: '群组',
  role: '角色',
  add: '添加群组',
  remove: (group) => `移除 ${group}`,
  newGroup: '新群组',
  save: '保存',
  saved: '群组的角色已更改。',
  title: '更改群组的角色？',
  change: '更改角色',
  consequence: '这些群组的成员在下一次调用时获得新角色。',
  owners: '在您的提供商处管理群组的人可以指定所有者。',
}

export const networks: Translated<typeof english.networks> = {
  card: '允许的网络',
  text: '来自其他网络的成员、各类密钥、SCIM 和 Playground 都会被拒绝。留空：不限制。',
  list: '网络，每行一个',
  placeholder: '192.0.2.0/24',
  save: '保存',
  saved: '允许的网络已更改。',
  title: '更改允许的网络？',
  restrict: '此后来自其他网络的调用会被拒绝，包括 API 密钥的调用。',
  lift: '成员和密钥可从任何网络调用。',
  change: '更改网络',
}

export const domains: Translated<typeof english.domains> = {
  card: '域名',
  text: '地址属于已验证域名的人在登录时会被引导至您的身份提供商。',
  add: '添加域名',
  domain: '域名',
  placeholder: 'example.com',
  added: (domain) => `已添加 ${domain}。请设置 DNS 记录以进行验证。`,
  verified: '已验证',
  waiting: '未验证',
  missing: '记录缺失',
  setRecord: '请在您的 DNS 服务商处设置此记录，然后验证。可能需要几分钟才能生效。',
  recordName: '名称',
  recordType: '类型',
  recordValue: '值',
  verify: '验证',
  isVerified: (domain) => `${domain} 已验证。`,
  remove: '移除',
  removeTitle: (domain) => `移除 ${domain}？`,
  removeText: '此域名的人不再被引导至您的身份提供商，新人员也无法通过它加入。',
  removed: (domain) => `${domain} 已移除。`,
}
