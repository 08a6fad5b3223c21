/** The models of `precis chat --demo`; their windows are small, so that a short talk fills them. */
export const demoModels: readonly { readonly name: string; readonly windowTokens: number }[] = [
  { name: 'demo/large', windowTokens: 32_000 },
  { name: 'demo/small', windowTokens: 8000 },
  { name: 'demo/tiny', windowTokens: 4000 },
]

/** Small enough to see an automatic compression within a few messages. */
export const FIRST_DEMO_MODEL = 'demo/small'
