/** Made by `scripts/pack-vocabularies.ts` of the vocabularies and character classes of tiktoken when precis is built. */
declare module '*.packed.js' {
  /** The packed bytes, read again at every call. */
  export const readPacked: () => Uint8Array
}
