import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Documents of one kind: `seen` may warm a counter up, `unseen` is counted once and never before.
 */
export interface Corpus {
  readonly name: string
  readonly seen: readonly string[]
  readonly unseen: readonly string[]
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const sessions = join(root, '../shared/data')

const CORPUS_UNITS = 3_000_000
const DOCUMENT_UNITS = 20_000

/**
 * Real text of this machine, and CJK text composed from a vocabulary. Without recorded sessions,
 * `session` is absent.
 */
export function readCorpora(): Corpus[] {
  const corpora = [
    divide('code', readFiles(modules, ['.js', '.mjs', '.cjs', '.ts'])),
    divide('json', readFiles(modules, ['.json'])),
    divide('markdown', readFiles(modules, ['.md'])),
    divide('cjk', composeCjk(40, 25_000)),
  ]
  if (existsSync(sessions))
    corpora.push(divide('session', readFiles(sessions, ['.jsonl', '.json'])))
  return corpora
}

/** Every second document warms up, so that both halves come from the same sources. */
function divide(name: string, documents: readonly string[]): Corpus {
  return {
    name,
    seen: documents.filter((_, index) => index % 2 === 0),
    unseen: documents.filter((_, index) => index % 2 === 1),
  }
}

/** Slices of files; vocabularies of tokenizers are data, and @precis is a link to this tree. */
function readFiles(folder: string, extensions: readonly string[]): string[] {
  const documents: string[] = []
  const seen = new Set<string>()
  let units = 0
  for (const path of listFiles(folder)) {
    if (!extensions.includes(extname(path)) || /tokenizer|tiktoken|@precis|\.min\./.test(path))
      continue
    // The same code in another module format is not unseen.
    const name = path.replace(/(?:\.d)?\.[cm]?[jt]s$/, '')
    if (seen.has(name)) continue
    seen.add(name)
    const text = readFileSync(join(folder, path), 'utf8').slice(0, DOCUMENT_UNITS * 24)
    if (text.length > 400 && units < CORPUS_UNITS) {
      for (let at = 0; at < text.length; at += DOCUMENT_UNITS)
        documents.push(text.slice(at, at + DOCUMENT_UNITS))
      units += text.length
    }
  }
  return documents
}

/**
 * Paths below a folder, mixed, the same way every time: neighbours are often one text in several
 * forms.
 */
export function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const files = entries.map(({ parentPath, name }) => {
    const path = relative(folder, join(parentPath, name))
    return { path, place: createHash('sha256').update(path).digest('hex') }
  })
  return files.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ path }) => path)
}

const HAN_WORDS =
  '我们 你 他们 这个 那个 问题 系统 文件 函数 变量 编译 运行 测试 结果 错误 日志 服务器 数据库 网络 请求 响应 用户 配置 需要 可以 应该 已经 如果 但是 因为 所以 然后 检查 修改 删除 添加 更新 版本 分支 提交 代码 模块 接口 参数 返回 类型 对象 数组 字符串 性能 内存 缓存 线程 进程 安全 权限 部署 环境 文档 说明 设计 架构 方案 讨论 今天 昨天 时间 工作 项目 团队 公司 研究 分析 经济 发展 历史 文化 教育 科学 技术 城市 天气 音乐 电影 旅行 食物 健康 医院 学校 老师 学生 朋友 家庭 孩子 生活 世界 国家 政府 社会 法律 市场 价格 的 了 在 是 和 与 就 也 都 很 不 把 被 从 向 对 为'.split(
    ' ',
  )
const KANA_WORDS =
  'これ それ わたし ファイル エラー サーバー テスト 実行 する します しました できる ため から ので について 設定 変更 確認 お願い 場合 必要 問題 修正 データ ユーザー コード 関数 クラス 処理 結果 表示 時間 今日 会議 資料 です ます が を に は の で と も'.split(
    ' ',
  )
const HANGUL_WORDS =
  '파일을 서버에서 오류가 발생했습니다 확인해 주세요 테스트를 실행하고 결과를 데이터베이스 설정을 변경하면 사용자 함수는 문제가 해결되었습니다 오늘 회의에서 논의한 내용은 다음과 같습니다 그리고 하지만 때문에'.split(
    ' ',
  )

/** Chinese, Japanese and Korean sentences in turn; the same text at every run. */
function composeCjk(documents: number, documentUnits: number): string[] {
  let seed = 20_261_121
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return ((seed >>> 8) * below) >>> 24
  }
  const sentence = (words: readonly string[], separator: string): string => {
    const chosen = Array.from({ length: 4 + random(16) }, () => {
      // One word in five is a rare character pair, as names and terms are.
      return random(5) === 0
        ? String.fromCharCode(0x4e00 + random(0x2000), 0x4e00 + random(0x5000))
        : words[random(words.length)]
    })
    return chosen.join(separator)
  }
  return Array.from({ length: documents }, (_, index) => {
    let text = ''
    while (text.length < documentUnits) {
      const kind = (index + random(4)) % 4
      if (kind < 2) text += `${sentence(HAN_WORDS, '')}，${sentence(HAN_WORDS, '')}。`
      else if (kind === 2) text += `${sentence(KANA_WORDS, '')}。\n`
      else text += `${sentence(HANGUL_WORDS, ' ')}. `
    }
    return text
  })
}
