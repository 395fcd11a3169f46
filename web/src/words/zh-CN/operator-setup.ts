import type { Translated } from '../translated.ts'
import type * as english from '../operator-setup.ts'

export const operatorSetup: Translated<typeof english.operatorSetup> = {
  title: '设置服务',
  sub: '共五步。运行中的进程报告后会自动勾选。',
  hide: '隐藏',
  engine: '连接引擎',
  engineText: '引擎是运行模型的服务器。将以下内容加入配置文件，然后运行 headrace reload。',
  engineKind: '服务器',
  engineUrl: '地址',
  engineSlots: 'Slot',
  engineSlotsHint: '可同时处理的请求数，与引擎启动时的设置一致。',
  engineYaml: '引擎的配置',
  unseen: '此控制台看不到任何 API 进程。请在其配置中填写所有进程的健康检查端口，以便显示引擎：',
  unseenYaml: '控制台的配置',
  notReady: (engine, state) => `${engine}：${state}。`,
  ready: (engine, kind, slots) => `${engine}：${kind}，${slots} 个 slot。`,
  found: '所有必需的能力均可用。',
  missing: (names) => `不可用：${names}。`,
  showEngines: '显示引擎',
  model: '提供模型',
  modelText:
    '客户端通过 ID 请求模型。设置了“models: all”的套餐会立即提供；在其他套餐中请指定该模型。',
  modelId: '模型 ID',
  modelYaml: '模型的配置',
  served: (models) => `已配置：${models}。`,
  test: '测试',
  testText: '从 Playground 发送一条消息。其请求随后会显示所经历的每一步。',
  tested: '已有一个请求得到回答。',
  toPlayground: '打开 Playground',
  noOrganization: '您不属于任何组织。请创建一个并将自己设为所有者。',
  toOrganizations: '组织',
  access: '开放访问',
  accessFacts: {
    public_url: {
      has: '浏览器通过 https 访问控制台。',
      lacks: '请将 console.public_url 设为控制台的 https 地址。',
    },
    api_url: {
      has: '示例和 Playground 已知 API 的地址。',
      lacks: '请将 console.api_url 设为 API 的公开地址。',
    },
    email_from: {
      has: '可以发送邮件。',
      lacks: '请设置 console.email_from 和 HEADRACE_SMTP_URL，以便邀请通过邮件送达。',
    },
    contact: {
      has: '用户知道如何联系您。',
      lacks: '请设置 console.contact，以便用户向您申请访问和充值。',
    },
  },
  signUp: {
    closed: '注册已关闭：仅受邀者可进入（console.sign_up）。',
    waiting: '任何人都可注册，之后等待您批准（console.sign_up）。',
    open: '任何人都可注册并创建组织（console.sign_up）。',
  },
  operators: '保护您自己的账户',
  hasFactor: '您已设置第二验证因素。',
  addFactor: '添加第二验证因素',
  lacksFactor: '仅凭您的密码即可打开这里的一切。',
  hasOthers: '还有另一位运营者。',
  lacksOthers:
    '您是唯一的运营者。如果您失去访问权限，只有能在服务器上使用 shell 的人才能帮助您。' +
    '请再创建一位：headrace account create EMAIL --operator。',
}
