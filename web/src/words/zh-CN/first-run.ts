import type { Translated } from '../translated.ts'
import type * as english from '../first-run.ts'

export const firstRun: Translated<typeof english.firstRun> = {
  sub: '三步获得第一个回答。完成后会自动勾选。',
  steps: '入门步骤',
  createKey: '创建密钥',
  createText: '程序使用密钥调用 API。密钥仅显示一次。',
  create: '创建密钥',
  askForKey: '请向管理员索取密钥：您的角色不能创建。',
  hasKey: (project, ends) => `位于项目 ${project}，${ends}。`,
  endsOn: (date) => `${date} 过期`,
  neverEnds: '永不过期',
  send: '发送第一个请求',
  sendText: (variable) =>
    `将密钥放入 ${variable} 并运行以下代码。` +
    '任何支持 chat completions 的 SDK 也可以：更改其 base URL 和密钥即可。',
  language: '语言',
  noTerminal: '手边没有终端？',
  fromPlayground: '从 Playground 发送',
  see: '在此查看',
  seeText: '请求结束后一秒内会显示在此页面，包括 token 数和费用。',
  waiting: (key) => (key === undefined ? '等待第一个请求' : `等待 ${key} 的第一个请求`),
  arrived: '第一个请求已到达。',
  used: (tokens, cost) => `使用了 ${tokens} 个 token，费用为 ${cost}。`,
  usedFree: (tokens) => `使用了 ${tokens} 个 token，免费。`,
  explain: '解释此请求',
  toOverview: '显示概览',
  limits: '您的限额',
  plan: (plan) => `套餐：${plan}`,
  free: '可用余额',
  models: '您的模型',
  context: (tokens) => `上下文 ${tokens}`,
  perMillion: (currency) => `每百万 token 的 ${currency}：输入 / 缓存 / 输出。`,
  freeOfCharge: '免费',
}
